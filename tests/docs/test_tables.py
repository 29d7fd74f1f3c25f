"""Tables, drawings and headings of the documents that repeat what the code says."""

from __future__ import annotations

import re

from config import checks
from config.settings import BASE_DIR
from foundation.store import formats
from foundation.store.keys.declared import sort_keys_of
from foundation.store.schema import SCHEMA
from operations.upkeep import system
from operations.upkeep.upgrading import STEPS
from tests.docs import routes_table, settings_table, types_table
from tests.house.product import CONTRACTS


def test_the_settings_are_those_in_the_code():
    """`make reference` writes the table."""
    assert types_table.in_document(settings_table.DOCUMENT.read_text()) == settings_table.table()


def test_the_routes_are_those_in_the_code():
    """`make reference` writes the table."""
    assert types_table.in_document(routes_table.DOCUMENT.read_text()) == routes_table.table()


def test_no_secret_in_the_documents_is_accepted_by_a_site():
    texts = [path.read_text() for path in (*BASE_DIR.glob("*.md"), *BASE_DIR.glob("docs/**/*.md"))]
    given = [secret for text in texts for secret in re.findall(r"SECRET_KEY=(.*)", text)]
    assert all(list(checks.wrong_secret(secret)) for secret in given)


def test_the_drawing_in_architecture_shows_the_layers_of_packages():
    """Each line names the packages of one layer, from the top down; those of a folder stand below it."""
    text = (BASE_DIR / "docs" / "explanation" / "architecture.md").read_text()
    drawing = re.search(r"```\n(config/.*?)```", text, re.DOTALL)
    assert drawing is not None
    drawn: dict[str, list[set[str]]] = {"": []}
    folder = ""
    for line in drawing[1].splitlines():
        named = re.findall(r"(\w+)/", line.strip().partition("  ")[0])
        if line.startswith(" "):
            drawn[folder].append(set(named))
        else:
            [folder] = named
            drawn[""].append({folder})
            drawn[folder] = []
    layers = {
        container: [set(re.findall(r"\w+", layer)) for layer in each["layers"]]
        for each in CONTRACTS["contracts"]
        if each["type"] == "layers"
        for container in each.get("containers", [""])
    }
    assert {folder: lines for folder, lines in drawn.items() if lines} == layers


def test_every_type_stands_in_its_table():
    """`make reference` writes them anew."""
    assert types_table.in_document(types_table.DOCUMENT.read_text()) == types_table.tables()


def test_every_type_of_item_says_what_it_is_and_where_it_is_listed():
    assert [each.label for each in SCHEMA.items if not re.fullmatch(r"[A-Z].+\.", each.pattern.about)] == []
    named = [each.pattern.entity_type for each in SCHEMA.items if each.pattern.entity_type]
    assert len(set(named)) == len(named) > 150
    lists = {span.pk: sort_keys_of(span) for each in SCHEMA.items for span in (*each.lists, *each.closed_lists)}
    assert [pk for pk, found in lists.items() if not found] == ["QUESTION#02#BALLOTS#"], "as those of the first"


VERSION = re.compile(r"^## (\d+)\.(\d+)\.(\d+), (unreleased|\d{4}-\d\d-\d\d)$")


def test_the_changelog_is_by_version_and_tells_the_format_of_each():
    text = (BASE_DIR / "CHANGELOG.md").read_text()
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    versions = [tuple(map(int, found.groups()[:3])) for found in map(VERSION.match, headings) if found]
    assert len(versions) == len(headings)
    assert versions == sorted(versions, reverse=True)
    assert ".".join(map(str, versions[0])) == system.versions()["Plenum"]
    told = re.findall(r"^Format (\d+)\b", text, re.MULTILINE)
    assert len(told) == len(versions)
    assert int(told[0]) == formats.FORMAT
    assert all("unreleased" not in heading for heading in headings[1:])


def test_every_format_and_every_step_is_written_down():
    text = (BASE_DIR / "docs/how-to/upgrading.md").read_text()
    rows = re.findall(r"^\| (\d+) \|", text, re.MULTILINE)
    assert rows == [str(number) for number in range(1, formats.FORMAT + 1)]
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == [step.name for step in STEPS]
