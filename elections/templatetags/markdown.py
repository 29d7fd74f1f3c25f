"""Markdown in templates."""

from django import template

from elections.markdown import to_html

register = template.Library()
register.filter("markdown", to_html)
