"""No name can forge a key, and two spellings of one name make the same key."""

from __future__ import annotations

import ast
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from foundation.store import keys
from foundation.store.keys import EVENT_NUMBER_DIGITS, escape, event, events, fold, part, parts, sequence
from tests.rows import every_row

ROOT = Path(__file__).parents[2]
PACKAGES = sorted({path.parent for path in ROOT.glob("*/__init__.py")} - {ROOT / "tests"})
STORE = ROOT / "foundation" / "store"

# Characters whose folding is hard: letters that grow, marks that change places, spaces of all kinds, our own signs.
TRICKY = "aAéÉe\u0301\u0345\u0323\u0307ßẞ\u017f\u0131İiIǰΐᾳᾼ\u0391ςΣ\u03c3µμÅΩﬁ"
TRICKY += "\u1e9b\u0130 \t\n\xa0\u2003\u3000#%~25x\x00\x1f\x7f\x85🗳ﷺ"
names = st.text(st.one_of(st.sampled_from(TRICKY), st.characters(exclude_categories=["Cs"])), max_size=40)
kinds = st.sampled_from(["USER", "ELECTION", "ELECTIONS", "CANDIDATE", "VOTER", "BALLOT", "SKILL", "SET"])
# --- folding ---


def folding() -> list[str]:
    """Every letter that folding changes, or that changes others; of Korean syllables all behave like any other."""
    return [
        letter
        for letter in map(chr, range(sys.maxunicode + 1))
        if not 0xD800 <= ord(letter) <= 0xDFFF
        and (
            letter.casefold() != letter or not unicodedata.is_normalized("NFD", letter) or unicodedata.combining(letter)
        )
        and not 0xAC00 <= ord(letter) <= 0xD7A3
    ]


@given(names)
@example("\u0345\u0323")
@example("ΐ\u0345")
def test_folding_twice_is_folding_once(name):
    assert fold(fold(name)) == fold(name)


@pytest.mark.deep
def test_folding_settles_every_letter_with_every_kind_of_mark_after_it():
    letters = folding()
    marks = {number: letter for letter in letters if (number := unicodedata.combining(letter))}
    for letter in letters:
        for mark in ("", "\u0345", *marks.values()):
            folded = fold(letter + mark)
            assert fold(folded) == folded, ascii(letter + mark)


@given(st.text(st.characters(max_codepoint=127), max_size=40))
def test_plain_letters_fold_as_all_others_do(name):
    marked = fold(name + " \u00e9")  # one letter beyond, and the long way is taken
    assert fold(name) == marked.removesuffix("\u00e9").strip()


@given(names)
def test_case_does_not_matter(name):
    assume("\u0131" not in name)  # the dotless i of Turkish is a letter of its own whose capital is a plain I
    assert fold(name.upper()) == fold(name.lower()) == fold(name.swapcase()) == fold(name.casefold()) == fold(name)


@given(names)
def test_composition_does_not_matter(name):
    assert fold(unicodedata.normalize("NFD", name)) == fold(unicodedata.normalize("NFC", name)) == fold(name)


@pytest.mark.deep
@given(
    st.lists(names.filter(lambda name: name.strip()), min_size=1),
    st.sampled_from([" ", "\t", "\n", "\xa0", " \u3000 "]),
)
def test_spacing_does_not_matter(words, space):
    assert fold(space + space.join(words) + space) == fold(" ".join(words))


@given(names)
def test_a_folded_name_has_single_inner_spaces_only(name):
    assert not re.search(r"^\s|\s$|\s\s|[^\S ]", fold(name))


@every_row(
    ("left", "right"),
    [("Ada Lovelace", "  ADA \t lovelace "), ("José", "JOSE\u0301"), ("Straße", "STRASSE"), ("Σίσυφος", "ΣΊΣΥΦΟΣ")],
)
def test_spellings_of_one_person_fold_together(left, right):
    assert part(left) == part(right)


@every_row(("left", "right"), [("Ada", "Adas"), ("Jose", "José"), ("a b", "ab"), ("a#b", "a%23b"), ("x", "")])
def test_different_people_stay_different(left, right):
    assert part(left) != part(right)


# --- parts of keys ---


@given(names, names)
@example("#", "%23")
@example("%", "%25")
@example("a" * 801, "a" * 802)
@example("a" * 800, "a" * 801)
def test_two_names_make_one_part_only_if_they_fold_together(left, right):
    assert (part(left) == part(right)) == (fold(left) == fold(right))


odd = st.sampled_from("ab#%~")


@pytest.mark.deep
@given(st.text(odd, min_size=1, max_size=20), st.integers(780, 1700), st.text(odd, max_size=3))
def test_long_names_that_differ_only_at_the_end_stay_different(words, length, tail):
    name = (words * length)[:length]
    assert (part(name) == part(name + tail)) == (not tail)


def test_of_very_long_names_nothing_is_remembered():
    before = parts._known_part.cache_info().currsize
    assert keys.part("x" * 100_000) == keys.part("X" * 100_000)
    assert parts._known_part.cache_info().currsize == before


def test_no_short_name_can_write_the_part_of_a_long_one():
    long = part("x" * 2000)
    assert part(long) != long


@given(names)
def test_a_part_holds_no_separator_and_no_control_character(name):
    assert not re.search(r"[#\x00-\x1f\x7f-\x9f]", part(name))
    assert not any(unicodedata.category(letter) == "Cc" for letter in part(name))


@given(st.text(max_size=200, alphabet=st.characters(exclude_categories=["Cs"])))
@example("\U0001f5f3" * 200)
@example("#" * 200)
@example("\x85x" * 100)
@example("ΐ" * 200)
@example("\U0001d160" * 200)
def test_a_name_of_200_characters_fits_a_sort_key_behind_a_prefix_of_100_bytes(name):
    assert len(part(name).encode()) + 100 <= 1024


@given(names)
def test_escaping_can_be_undone(text):
    assert re.sub("%([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), escape(text)) == text


@given(kinds, names, kinds, names)
@example("ELECTION", "S#x", "ELECTIONS", "x")
def test_two_kinds_or_two_names_never_share_a_key(kind, name, other_kind, other_name):
    same_key = f"{kind}#{part(name)}" == f"{other_kind}#{part(other_name)}"
    assert same_key == (kind == other_kind and fold(name) == fold(other_name))


@given(st.tuples(names, names), st.tuples(names, names))
@example(("a#b", "c"), ("a", "b#c"))
@example(("a#", "b"), ("a", "#b"))
@example(("", "a"), ("a", ""))
def test_two_pairs_of_names_never_share_a_key(pair, other):
    same_key = f"ANSWER#{part(pair[0])}#{part(pair[1])}" == f"ANSWER#{part(other[0])}#{part(other[1])}"
    assert same_key == ([*map(fold, pair)] == [*map(fold, other)])


# --- numbers ---


@given(st.integers(0, 10**EVENT_NUMBER_DIGITS - 1), st.integers(0, 10**EVENT_NUMBER_DIGITS - 1))
@example(9, 10)
@example(99_999, 100_000)
def test_numbers_sort_as_numbers(left, right):
    assert (sequence(left) < sequence(right)) == (left < right)
    assert int(sequence(left)) == left


@every_row("number", [-1, 10**EVENT_NUMBER_DIGITS])
def test_a_number_that_would_break_the_order_is_refused(number):
    with pytest.raises(ValueError, match="digits"):
        sequence(number)


@given(
    st.lists(st.integers(0, 10**EVENT_NUMBER_DIGITS - 2), min_size=2, max_size=2, unique=True),
    st.integers(0, 10**EVENT_NUMBER_DIGITS - 1),
)
def test_a_span_of_events_holds_those_numbers_and_no_others(ends, number):
    first, last = sorted(ends)
    span = events(first, last)
    for when in ("2026-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"):
        assert (span.first <= event(number, when).sk <= span.last) == (first <= number <= last)


def test_events_sort_by_number_whatever_their_time():
    keys = [event(number, f"2026-01-{31 - number:02d}").sk for number in range(0, 31, 3)]
    assert all(left < right for left, right in pairwise(keys))


# --- nobody else builds a key ---


def given_as_keys(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """Whatever stands where a key is wanted: in an item, in an index, in a `Key`, in a `Span`, as the name of one."""
    attributes, bounds = {"PK", "SK", "GSI1PK", "GSI1SK"}, {"pk", "sk", "prefix", "first", "last"}
    for node in nodes:
        match node:
            case ast.Dict(keys=names, values=values):
                yield from (v for n, v in zip(names, values, strict=True) if getattr(n, "value", None) in attributes)
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=name))], value=value) if name in attributes:
                yield value
            case ast.Call(func=ast.Name(id="Key" | "Span")):
                yield from (*node.args[:2], *(each.value for each in node.keywords if each.arg in bounds))
            case ast.Call(func=ast.Name(id="dict")):
                yield from (each.value for each in node.keywords if each.arg in attributes)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="keys"))):
                yield from (each for given in node.args for each in ast.walk(given) if isinstance(each, ast.JoinedStr))


def is_built(given: ast.expr) -> bool:
    """Whether a key is put together here, and not passed on as `keys` has made it."""
    match given:
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return False
        case ast.IfExp(body=one, orelse=other):
            return is_built(one) or is_built(other)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="keys"))):
            return False
    return True


def assigned(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """Which variables are words that were put together."""
    for node in nodes:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.JoinedStr() | ast.BinOp() | ast.Constant(value=str())
            ):
                yield name, node.value
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                both = zip(names, values, strict=True)
                yield from ((n.id, v) for n, v in both if isinstance(n, ast.Name) and isinstance(v, ast.JoinedStr))


def words_used_as_keys(words: Iterable[tuple[str, ast.expr]], nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    if words := list(words):
        used = {given.id for given in given_as_keys(nodes) if isinstance(given, ast.Name)}
        yield from (value for name, value in words if name in used)


def keys_built_in(source: str) -> list[str]:
    if not re.search(r"PK|SK|\bKey\b|\bSpan\b|\bkeys\b", source):  # to take a text apart takes long
        return []
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    functions = [list(ast.walk(node)) for node in nodes if isinstance(node, ast.FunctionDef)]
    built = [given for given in given_as_keys(nodes) if is_built(given)]
    built += words_used_as_keys(assigned(ast.iter_child_nodes(tree)), nodes)
    built += chain.from_iterable(words_used_as_keys(assigned(each), each) for each in functions)
    return list(dict.fromkeys(map(ast.unparse, built)))


@pytest.mark.deep
def test_no_other_package_builds_a_key():
    paths = [path for package in PACKAGES for path in sorted(package.rglob("*.py")) if STORE not in path.parents]
    assert len(paths) > 100
    assert {str(path): built for path in paths if (built := keys_built_in(path.read_text()))} == {}
