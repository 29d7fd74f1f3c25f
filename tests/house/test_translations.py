"""Translations: nothing missing, nothing left over, and every sentence carries the names and tags of the original."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import polib
import pytest
from django.conf import settings
from django.utils.translation import override
from jinja2.ext import babel_extract

ROOT = Path(settings.BASE_DIR)
NOT_SHOWN = ("tests", "build", "static")  # folders without words for people
LANGUAGES = [code for code, _ in settings.LANGUAGES if not code.startswith("en")]  # which are the texts themselves

# What a call of each function says, in the order of its arguments.
SAYS = {
    "_": ("msgid",),
    "gettext": ("msgid",),
    "gettext_lazy": ("msgid",),
    "gettext_noop": ("msgid",),
    "ngettext": ("msgid", "plural"),
    "ngettext_lazy": ("msgid", "plural"),
    "pgettext": ("context", "msgid"),
    "pgettext_lazy": ("context", "msgid"),
    "npgettext": ("context", "msgid", "plural"),
    "npgettext_lazy": ("context", "msgid", "plural"),
}
OPTIONS = {"newstyle_gettext": "true", "silent": "false"}  # as in locale/babel.cfg
PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[a-z]|%%|</?[a-z][^>]*>")


class Said(NamedTuple):
    """One thing to translate."""

    msgid: str
    plural: str = ""
    context: str = ""


# --- what the code says ---


class PiecedTogether(Exception):
    """A sentence put together before it is translated: no catalogue can hold it."""


def said_by_python(source: str) -> set[Said]:
    if not re.search(r"gettext|\b_\s*\(", source):  # to take a text apart takes long
        return set()
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return set(filter(None, map(_said_by_call, calls)))


def _said_by_call(call: ast.Call) -> Said | None:
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    parts = dict(zip(SAYS.get(name, ()), call.args, strict=False))
    if any(isinstance(part, ast.JoinedStr | ast.BinOp) for part in parts.values()):
        raise PiecedTogether(ast.unparse(call))
    if not parts or not all(isinstance(part, ast.Constant) for part in parts.values()):
        return None  # no translation, or of what a variable holds: that is said where it is written down
    return Said(**{role: part.value for role, part in parts.items()})  # type: ignore[attr-defined]


def said_by_template(source: str) -> set[Said]:
    calls = babel_extract(BytesIO(source.encode()), list(SAYS), [], OPTIONS)
    return {_said_by_function(name, said) for _line, name, said, _comments in calls if said}  # none: of a variable


def _said_by_function(name: str, said: str | tuple[str | None, ...]) -> Said:
    texts = (said,) if isinstance(said, str) else said
    return Said(**dict(zip(SAYS[name], filter(None, texts), strict=False)))


def files(*endings: str) -> Iterator[Path]:
    folders = (each for each in ROOT.iterdir() if each.is_dir() and each.name[0] != "." and each.name not in NOT_SHOWN)
    return (path for folder in folders for path in folder.rglob("*") if path.suffix in endings)


@cache
def said_by_the_code() -> set[Said]:
    python = (said_by_python(path.read_text("utf-8")) for path in files(".py"))
    templates = (said_by_template(path.read_text("utf-8")) for path in files(".html", ".txt"))
    return set(chain.from_iterable(chain(python, templates)))


# --- what the catalogue says ---


@cache
def catalogue(language: str, ending: str = "po") -> polib.POFile | polib.MOFile:
    path = ROOT / "locale" / language / "LC_MESSAGES" / f"django.{ending}"
    return polib.pofile(str(path)) if ending == "po" else polib.mofile(str(path))


def said_by(entry: polib.POEntry | polib.MOEntry) -> Said:
    return Said(entry.msgid, entry.msgid_plural or "", entry.msgctxt or "")


def forms(entry: polib.POEntry | polib.MOEntry) -> list[str]:
    """The translation, in each of its numbers."""
    return [entry.msgstr_plural[number] for number in sorted(entry.msgstr_plural)] or [entry.msgstr]


def unfinished(po: polib.POFile) -> list[str]:
    """What nobody has translated, or looked at since the original changed."""
    numbers = int(re.findall(r"nplurals=(\d+)", po.metadata.get("Plural-Forms", "nplurals=0"))[0])
    return [
        entry.msgid
        for entry in po
        if entry.fuzzy or not all(forms(entry)) or len(forms(entry)) != (numbers if entry.msgid_plural else 1)
    ]


def misnamed(po: polib.POFile, language: str) -> list[str]:
    """What the head of the catalogue says wrongly, or still as the tools left it."""
    wrong = [name for name, value in po.metadata.items() if re.search("PACKAGE|FULL NAME|LL@li|YEAR", value)]
    wrong += ["Language"] if po.metadata.get("Language") != language else []
    return wrong + (["fuzzy"] if po.metadata_is_fuzzy else [])


def lost_placeholders(po: polib.POFile) -> list[str]:
    """Translations without the original's names and tags, or with others. The first number is the singular's."""
    return [
        translation
        for entry in po
        for number, translation in enumerate(forms(entry))
        if placeholders(translation) != placeholders(entry.msgid_plural if number else entry.msgid)
    ]


def placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def differences(po: polib.POFile, mo: polib.MOFile) -> list[str]:
    """What the compiled catalogue says otherwise than the written one."""
    written = {said_by(entry): forms(entry) for entry in po if not entry.obsolete}
    compiled = {said_by(entry): forms(entry) for entry in mo}
    differing = [said.msgid for said in written.keys() | compiled.keys() if written.get(said) != compiled.get(said)]
    return differing + (["the head"] if head(po) != head(mo) else [])


def head(catalogue: polib.POFile | polib.MOFile) -> dict[str, str]:
    """Without the time of extraction, which compiling leaves out."""
    return {name: value for name, value in catalogue.metadata.items() if name != "POT-Creation-Date"}


def missing(po: polib.POFile, said: set[Said]) -> set[Said]:
    return said - {said_by(entry) for entry in po if not entry.obsolete}


def left_over(po: polib.POFile, said: set[Said]) -> set[Said]:
    """What nothing says any more, commented out or not."""
    return {said_by(entry) for entry in po if entry.obsolete or said_by(entry) not in said}


# --- the catalogues we have ---


def test_there_is_a_second_language():
    assert "de" in LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entry_is_translated(language):
    assert unfinished(catalogue(language)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_head_is_filled_in(language):
    assert misnamed(catalogue(language), language) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_and_tags_survive_translation(language):
    assert lost_placeholders(catalogue(language)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_compiled_is_what_is_written(language):
    assert differences(catalogue(language), catalogue(language, "mo")) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_the_code_says_is_in_the_catalogue(language):
    assert missing(catalogue(language), said_by_the_code()) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_else_is_in_the_catalogue(language):
    assert left_over(catalogue(language), said_by_the_code()) == set()


def test_the_page_speaks_german(client, site):
    with override("en"):  # the page sets the language of this thread; the next test should not inherit it
        page = client.get("/", headers={"Accept-Language": "de"}).content.decode()
    assert "<h1>Wo eine Gruppe entscheidet</h1>" in page
    assert "Where a group decides" not in page
