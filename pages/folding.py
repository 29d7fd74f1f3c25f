"""Templates, folded: what is the same in every answer of one language is worked out once, and is text from then on.

A template of ours is mostly sentences to translate, addresses of files and pages, parts that are included and blocks
that fill a frame. Django finds each of them out again for every answer. Here a template is folded when it is first
rendered in a language: sentences, addresses and frames become text, an included part stands where it was included, and
of a choice that is decided by then (a sign is included by its name) only what was chosen is left. What depends on the
answer is looked up in the names that the answer gives (see `lookups`); where we do not know a tag, Django does it. All
that is left is one function (see `writing`), and says what the template says.

Nothing of it needs to be forgotten: a program does not change its templates, translations or addresses as it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from django.template import Context, Engine, Node, NodeList, Template, TemplateDoesNotExist
from django.template.base import FilterExpression, TextNode, VariableNode
from django.template.defaulttags import CommentNode, CsrfTokenNode, ForNode, IfNode, LoadNode, URLNode, WithNode
from django.template.library import InclusionNode, SimpleNode
from django.template.loader_tags import BLOCK_CONTEXT_KEY, BlockNode, ExtendsNode, IncludeNode
from django.template.loaders import cached
from django.template.smartif import TokenBase
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.templatetags.static import StaticNode
from django.urls import get_script_prefix
from django.utils.functional import Promise
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext

from .lookups import Names, address, lookup, shown
from .parts import part_at
from .parts import place as place_of_part
from .templatetags.parts import PartNode
from .writing import Choice, Loop, Part, Piece, Remembered, Scope, Value, function

SUPER = ("block", "super")
MOST_FORMS = 20  # of one template, by language and path: more than a site has
CONSTANTS = {"True": True, "False": False, "None": None}  # every template knows these


class Loader(cached.Loader):
    """Django's, which reads every template once. Where it is to point out mistakes (DEBUG), nothing is folded."""

    def get_template(self, template_name: str, skip: Any = None) -> Template:
        template = super().get_template(template_name, skip)
        if not (isinstance(template.nodelist, Folding) or self.engine.debug):
            template.nodelist = Folding(template)
        return template


class Folding(NodeList):
    """The nodes of a template as they were read; rendered is what is left of them in the reader's language."""

    def __init__(self, template: Template):
        super().__init__(template.nodelist)
        self.template = template
        self.left: dict[tuple[str | None, str], Part] = {}

    def render(self, context: Context) -> Any:
        if BLOCK_CONTEXT_KEY in context.render_context:  # it frames a template that was not loaded, but made from text
            return super().render(context)
        here = (get_language(), get_script_prefix())
        if (left := self.left.get(here)) is None:
            if len(self.left) >= MOST_FORMS:
                self.left.clear()
            left = self.left[here] = folded(self.template)
        return SafeString(left(context.flatten(), context))


def folded(template: Template) -> Part:
    """What is left of a template in the language that is spoken here."""
    return function(_framed(template, Place(template.engine)), f"{template.name} in {get_language()}")


@dataclass(frozen=True)
class Place:
    """Where a node stands: what is known there, what fills which block, and what stood in this block before."""

    engine: Engine
    within: frozenset[str] = frozenset()  # the templates that are being included
    known: Mapping[str, str] = field(default_factory=dict)
    blocks: Mapping[str, Sequence[NodeList]] = field(default_factory=dict)
    above: Sequence[NodeList] = ()

    def knowing(self, values: Mapping[str, FilterExpression]) -> Place:
        """Inside, where these values have names."""
        texts = {name: text for name, value in values.items() if (text := _text(value)) is not None}
        return replace(self.forgetting(values), known={**self.forgetting(values).known, **texts})

    def forgetting(self, names: Iterable[str]) -> Place:
        hidden = {*names}
        return replace(self, known={name: text for name, text in self.known.items() if name not in hidden})


def _framed(template: Template, place: Place) -> list[Piece]:
    """The outermost frame of a template, filled with what the others put into its blocks."""
    blocks: dict[str, list[NodeList]] = {}
    while True:
        for block in template.nodelist.get_nodes_by_type(BlockNode):
            blocks.setdefault(block.name, []).append(block.nodelist)
        extends = next((node for node in template.nodelist if isinstance(node, ExtendsNode)), None)
        if extends is None:
            return _fold(template.nodelist, replace(place, blocks=blocks, above=()))
        name = _text(extends.parent_name)
        assert name is not None, "a template extends one that has a name"
        template = place.engine.get_template(name)


# --- folding ---


def _fold(nodes: Iterable[Node], place: Place) -> list[Piece]:
    """Texts and functions by turns."""
    left: list[Piece] = []
    for node in nodes:
        for piece in FOLDS.get(type(node), _by_django)(node, place):
            if isinstance(piece, str) and left and isinstance(left[-1], str):
                left[-1] += piece
            else:
                left.append(piece)
    return left


def _by_django(node: Node, place: Place) -> list[Piece]:
    """A tag that we do not know: it may look at all names, and give some."""
    assert not node.get_nodes_by_type(BlockNode), f"a block stands in {node!r}, where it would not be filled"

    def ask(names: Names, context: Context) -> str:
        inside = context.new(names)
        said = node.render(inside)
        names.update(inside.dicts[-1])
        return said

    return [ask]


def _nothing(node: Node, place: Place) -> list[Piece]:
    return []


def _written(node: TextNode, place: Place) -> list[Piece]:
    return [node.s]


def _translated(node: TranslateNode, place: Place) -> list[Piece]:
    said, meaning = node.filter_expression, node.message_context
    is_known = not (said.filters or node.asvar) and said.var.literal is not None
    if is_known and (meaning is None or _text(meaning) is not None):
        return [str(node.render(Context()))]
    return _by_django(node, place)


def _address(node: StaticNode | URLNode, place: Place) -> list[Piece]:
    """Of a file, or of a page; known where it hangs on nothing else than its name."""
    name = _text(node.path if isinstance(node, StaticNode) else node.view_name)
    if name is None or getattr(node, "varname", None) or getattr(node, "asvar", None):
        return _by_django(node, place)
    if isinstance(node, StaticNode) or not (node.args or node.kwargs):
        return [str(node.render(Context()))]
    arguments, prefix = [lookup(each) for each in node.args], get_script_prefix()
    named = [(key, lookup(each)) for key, each in node.kwargs.items()]

    def say(names: Names, context: Context) -> str:
        words = tuple([(key, str(look(names, context))) for key, look in named]) if named else ()
        found = address(name, prefix, tuple([str(look(names, context)) for look in arguments]), words)
        return escape(found) if context.autoescape else found

    return [say]


def _said(node: VariableNode, place: Place) -> list[Piece]:
    said = node.filter_expression
    lookups = said.var.lookups if said.is_var and not said.filters else None
    if lookups == SUPER and place.above:
        return _fold(place.above[0], replace(place, above=place.above[1:]))
    if lookups and len(lookups) == 1 and lookups[0] in place.known:
        return [str(conditional_escape(place.known[lookups[0]]))]
    return [Value(said)]


def _sentence(node: BlockTranslateNode, place: Place) -> list[Piece]:
    """A sentence, with something in it that perhaps only the answer knows."""
    if node.asvar or node.message_context:
        return _by_django(node, place)
    one, inside = node.render_token_list(node.singular)
    many, also = node.render_token_list(node.plural) if node.plural else ("", [])
    inside, known, text = [*dict.fromkeys([*inside, *also])], place.knowing(node.extra_context).known, gettext(one)
    if not many and all(name in known for name in inside):
        return [text % {name: conditional_escape(known[name]) for name in inside}]
    values = {name: lookup(value) for name, value in node.extra_context.items()}
    count = lookup(node.counter) if many else None

    def say(names: Names, context: Context) -> str:
        found = {name: look(names, context) for name, look in values.items()}
        if count is not None:
            found[node.countervar] = count(names, context)
        said = text if count is None else ngettext(one, many, found[node.countervar])
        return said % {name: shown(found[name] if name in found else names.get(name, ""), context) for name in inside}

    return [say]


def _chosen(node: IfNode, place: Place) -> list[Piece]:
    """The branches that may still be taken. One that is certain is taken, and none after it."""
    branches: list[tuple[TokenBase, list[Piece]]] = []
    for test, nodes in node.conditions_nodelists:
        decided = True if test is None else _decided(test, place.known)
        if decided is False:
            continue
        pieces = _fold(nodes, place)
        if decided:
            return [Choice(branches, pieces)] if branches else pieces
        branches.append((test, pieces))
    return [Choice(branches, [])] if branches else []


def _repeated(node: ForNode, place: Place) -> list[Piece]:
    each = _fold(node.nodelist_loop, place.forgetting([*node.loopvars, "forloop"]))
    return [Loop(node.sequence, node.loopvars, node.is_reversed, each, _fold(node.nodelist_empty, place))]


def _named(node: WithNode, place: Place) -> list[Piece]:
    return _scoped(node.nodelist, _fold(node.nodelist, place.knowing(node.extra_context)), node.extra_context)


def _included(node: IncludeNode, place: Place) -> list[Piece]:
    """The part itself, where its name is known."""
    name = _text(node.template)
    if name is None or node.isolated_context or name in place.within:
        return _by_django(node, place)
    try:
        found = place.engine.get_template(name)
    except TemplateDoesNotExist:  # which is said when it is needed
        return _by_django(node, place)
    inside = replace(place.knowing(node.extra_context), within=place.within | {name})
    if _gives_names(found.nodelist):
        inside = replace(inside, known={})
    return _scoped(found.nodelist, _framed(found, inside), node.extra_context)


def _of_tag(node: InclusionNode, place: Place) -> list[Piece]:
    """A part that sees what a function of ours gives it, and the token of the page's forms."""
    if node.takes_context or not isinstance(node.filename, str):
        return _by_django(node, place)
    inside = folded(place.engine.get_template(node.filename))
    arguments = [lookup(each) for each in node.args]
    named = {key: lookup(each) for key, each in node.kwargs.items()}

    def say(names: Names, context: Context) -> str:
        words = {key: look(names, context) for key, look in named.items()}
        given = node.func(*[look(names, context) for look in arguments], **words)
        return inside({**CONSTANTS, "csrf_token": names.get("csrf_token"), **given}, context)

    return [say]


def _block(node: BlockNode, place: Place) -> list[Piece]:
    nodes, *above = place.blocks[node.name]
    return _scoped(nodes, _fold(nodes, replace(place, above=above)), {})


def _token(node: CsrfTokenNode, place: Place) -> list[Piece]:
    def token(names: Names, context: Context) -> str:
        found = names.get("csrf_token")
        names["csrf_token"] = text = "" if found is None else str(found)  # made when it is asked for, and only once
        if not text or text == "NOTPROVIDED":
            return ""
        return f'<input type="hidden" name="csrfmiddlewaretoken" value="{escape(text)}">'

    return [token]


def _remembered(node: PartNode, place: Place) -> list[Piece]:
    """A part that is given nothing says the same in every answer."""
    here = place_of_part(node.name, node.given)
    return [Remembered(here, [*node.given.values()])] if node.given else [part_at(here, ())]


FOLDS: dict[type[Node], Callable[[Any, Place], list[Piece]]] = {
    BlockNode: _block,
    BlockTranslateNode: _sentence,
    CommentNode: _nothing,
    CsrfTokenNode: _token,
    ForNode: _repeated,
    IfNode: _chosen,
    IncludeNode: _included,
    InclusionNode: _of_tag,
    LoadNode: _nothing,
    PartNode: _remembered,
    StaticNode: _address,
    TextNode: _written,
    TranslateNode: _translated,
    URLNode: _address,
    VariableNode: _said,
    WithNode: _named,
}


# --- names ---


def _scoped(nodes: NodeList, pieces: list[Piece], given: Mapping[str, FilterExpression]) -> list[Piece]:
    """Pieces with names that nobody outside may see."""
    if all(isinstance(piece, str) for piece in pieces) or not (given or _gives_names(nodes)):
        return pieces
    return [Scope(given, pieces)]


def _gives_names(nodes: NodeList) -> bool:
    """Whether any of these nodes may name something for those after it."""
    return any(
        not isinstance(node, KEEPS_TO_ITSELF) or any(getattr(node, name, None) for name in GIVEN)
        for node in nodes.get_nodes_by_type(Node)
    )


GIVEN = ("asvar", "varname", "target_var")  # what nodes call the name that they give
KEEPS_TO_ITSELF = (*FOLDS, ExtendsNode, SimpleNode)


# --- what is known ---


def _text(value: FilterExpression) -> str | None:
    """What an expression says, if it says the same in every answer."""
    if value.is_var or value.filters or not isinstance(value.var, str | Promise):
        return None
    return str(value.var)


def _decided(test: Any, known: Mapping[str, str]) -> bool | None:
    """Whether a condition holds, or `None` where that hangs on the answer."""
    if all(_is_known(leaf.value, known) for leaf in _leaves(test)):
        return bool(test.eval(Context(dict(known))))
    return None


def _leaves(test: Any) -> Iterator[Any]:
    if test.first is None:
        yield test
    else:
        yield from _leaves(test.first)
        yield from _leaves(test.second) if test.second is not None else ()


def _is_known(value: FilterExpression, known: Mapping[str, str]) -> bool:
    return not value.filters and (not value.is_var or value.var.var in known)
