"""Markdown in templates: what is kept of it."""

from django import template

from pages.rendered import description_of

register = template.Library()
register.filter("described", description_of)
