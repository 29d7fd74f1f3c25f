"""Explanations of a count in templates."""

from django import template

from ranking.explanations import said

register = template.Library()
register.filter(said)
