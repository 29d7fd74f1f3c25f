"""Where something is decided can be found by one search: CONTRIBUTING.md says which, and this tries it."""

from __future__ import annotations

import re

import pytest

from tests.docs.test_documents import found, quoted, section
from tests.house.product import ROOT, modules

MAX_FILES_FOUND = 5  # files that somebody can look into after a search


def rows() -> list[tuple[str, str, list[str]]]:
    """Of every question the words to search for, and what decides it."""
    table = section((ROOT / "CONTRIBUTING.md").read_text(), "## How to find your way")
    cells = [row.strip("| ").split(" | ") for row in table.splitlines() if row.startswith("|")][2:]
    return [(question, quoted(words)[0], quoted(names)) for question, words, names in cells]


def hits(words: str) -> set[str]:
    """The modules in which the words stand, also where a line breaks between them."""
    wanted = re.compile(r"[\s#]+".join(map(re.escape, words.split())), re.IGNORECASE)
    paths = [path for path in modules() if wanted.search(path.read_text())]
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths}


def test_all_questions_are_there():
    assert len(rows()) == 12


@pytest.mark.parametrize(("question", "words", "deciding"), rows(), ids=lambda cell: cell if "?" in cell else "")
def test_one_search_finds_where_it_is_decided(question, words, deciding):
    files = hits(words)
    assert 1 <= len(files) <= MAX_FILES_FOUND, files
    for name in deciding:
        assert found(name) is not None, name
        assert any(name.startswith(f"{file}.") for file in files), f"{name} is not in {files}"
