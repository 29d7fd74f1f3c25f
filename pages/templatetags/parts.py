"""`{% part "elections/parts/facts.html" election=election %}`: as an include that sees only what it is given, rendered
once for the same values."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context, Node, TemplateSyntaxError
from django.template.base import FilterExpression, Parser, Token, token_kwargs

from pages import parts

register = template.Library()


class PartNode(Node):
    def __init__(self, name: str, given: dict[str, FilterExpression]):
        self.name, self.given = name, given

    def render(self, context: Context) -> Any:
        return parts.part(self.name, {name: value.resolve(context) for name, value in self.given.items()})


@register.tag
def part(parser: Parser, token: Token) -> PartNode:
    _tag, name, *bits = token.split_contents()
    given = token_kwargs(bits, parser)
    if bits or name[0] not in "\"'":
        raise TemplateSyntaxError("A part has a name in quotes, and is given values by their names.")
    return PartNode(name[1:-1], given)
