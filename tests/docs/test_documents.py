"""What is written is true: every file, name and command that a document speaks of is there."""

from __future__ import annotations

import re
import subprocess
from contextlib import suppress
from functools import cache, reduce
from importlib import import_module
from pathlib import Path

import pytest
from django.core.management import get_commands

from tests.house.product import PACKAGES, ROOT, modules

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
MAX_LINE_CHARS = 120  # of prose; rows of tables may be longer
MAX_ARCHITECTURE_LINES = 300
A_FILE = re.compile(r"[\w.…/-]+\.(?:py|md|html|css|js|sh|toml)")
A_FOLDER = re.compile(r"(?:[\w-]+/)+")
A_NAME = re.compile(r"[a-z_]+(?:\.\w+)+")
GOES = "## Where a new thing goes"
STEPS = "## A close, step by step"


def prose(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def quoted(text: str) -> list[str]:
    """Everything between backticks."""
    return [" ".join(words.split()) for words in re.findall(r"`([^`]+)`", prose(text))]


@cache
def files() -> frozenset[str]:
    """All of ours: what git keeps, and what it would."""
    asked = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return frozenset(each for each in listed if (ROOT / each).exists())


@cache
def folders() -> frozenset[str]:
    return frozenset(f"{parent}/" for each in files() for parent in Path(each).parents if str(parent) != ".")


def is_there(path: str) -> bool:
    """A path from the root; or, where a text speaks of one folder, the end of one."""
    if path.endswith("/"):
        return any(folder == path or folder.endswith(f"/{path}") for folder in folders())
    return any(file == path or file.endswith(f"/{path}") for file in files())


def wrong_paths(text: str) -> list[str]:
    paths = [each for each in quoted(text) if A_FILE.fullmatch(each) or A_FOLDER.fullmatch(each)]
    return [path for path in paths if "…" not in path and not is_there(path)]


def found(name: str) -> object:
    """The module of that name, or something in one, or an attribute of that; `None` if there is nothing."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        with suppress(ModuleNotFoundError):
            return reduce(
                lambda thing, part: getattr(thing, part, None), parts[length:], import_module(".".join(parts[:length]))
            )
    return None


def names(text: str) -> list[str]:
    words = (each.removesuffix("()") for each in quoted(text))
    return [
        each
        for each in words
        if A_NAME.fullmatch(each) and each.split(".")[0] in PACKAGES and not A_FILE.fullmatch(each)
    ]


def wrong_names(text: str) -> list[str]:
    return [name for name in names(text) if found(name) is None]


def wrong_commands(text: str) -> list[str]:
    asked = {each.split()[1] for each in quoted(text) if re.match(r"make [a-z]", each)}
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    run = {each.split()[1] for each in quoted(text) if re.match(r"(manage\.py|plenum) [a-z]", each)}
    commands = {path.stem for path in modules() if path.parent.name == "commands"} | {"init", "help"}
    return sorted((asked - targets) | (run - commands))


def too_wide(text: str) -> list[str]:
    """Lines of prose; a row of a table is as wide as it is."""
    return [line for line in prose(text).splitlines() if len(line) > MAX_LINE_CHARS and not line.startswith("|")]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def anchors(text: str) -> set[str]:
    """What GitHub makes of each heading."""
    headings = re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(document: Path) -> list[str]:
    """Links to a file or a heading that is not there; links to other sites are not followed."""
    broken = []
    for path, anchor in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)", prose(document.read_text())):
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            broken.append(f"{path}#{anchor}" if anchor else path)
    return broken


def section(text: str, heading: str) -> str:
    return text.partition(f"{heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("document", DOCUMENTS, ids=relative)
def test_every_file_name_and_command_is_there(document):
    text = document.read_text()
    assert (wrong_paths(text), wrong_names(text), wrong_commands(text)) == ([], [], [])


@pytest.mark.parametrize("document", DOCUMENTS, ids=relative)
def test_lines_are_as_wide_as_people_read(document):
    assert too_wide(document.read_text()) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=relative)
def test_links_between_documents_work(document):
    assert broken_links(document) == []


@pytest.mark.parametrize(
    ("index", "folder"), [("docs/index.md", "docs"), ("docs/decisions/README.md", "docs/decisions")]
)
def test_an_index_lists_every_document(index, folder):
    """The decisions have an index of their own."""
    path = ROOT / index
    listed = re.findall(r"^(?:- |\| )\[[^]]+\]\(([^)#]+)\)", path.read_text(), re.MULTILINE)
    there = [each for each in DOCUMENTS if each.is_relative_to(ROOT / folder) and each != path]
    decisions = ROOT / "docs" / "decisions"
    if folder == "docs":
        there = [each for each in there if each.parent != decisions or each.name == "README.md"]
    assert sorted((path.parent / each).resolve() for each in listed) == sorted(there)


def test_architecture_can_be_read_in_one_sitting():
    assert len((ROOT / "docs" / "explanation" / "architecture.md").read_text().splitlines()) <= MAX_ARCHITECTURE_LINES


def test_every_package_is_said_to_be_for_something():
    said = quoted(section((ROOT / "CONTRIBUTING.md").read_text(), GOES))
    assert {package for package in PACKAGES if f"{package}/" not in said} == set()


def test_the_steps_of_a_close_can_be_followed():
    """Every list of steps that is arranged is told there, with each of its steps."""
    from accounts.services import ON_REMOVAL
    from ballots.sealing import COUNTING, SEALED
    from elections.lifecycle.services import OPENING

    told = [
        found(name) for name in names(section((ROOT / "docs" / "explanation" / "architecture.md").read_text(), STEPS))
    ]
    assert len(told) > 20
    for steps in (OPENING, COUNTING, SEALED, ON_REMOVAL):
        assert [each for each in told if each in list(steps)] == list(steps), steps.moment
        assert steps in told


def test_ci_runs_the_checks_that_the_documents_name():
    script = (ROOT / ".ci" / "run").read_text()
    for name in ("README.md", "CONTRIBUTING.md"):
        named = re.findall(r"\bmake (?:lint|docs-check|test)\b(?!-)", (ROOT / name).read_text())
        assert "make test" in named
        targets = [command.removeprefix("make ") for command in named]
        assert [target for target in targets if not re.search(rf"^make .*\b{target}\b", script, re.MULTILINE)] == []


# --- what operators type ---

FOR_DEVELOPERS = {"architecture", "access-patterns", "add-an-item-type", "commands"}  # which may name `manage.py`
OF_NO_APP = {"init", "help"}  # which run before there are settings


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("**/*.md")), ids=relative)
def test_a_document_for_operators_names_commands_as_they_work_in_production(path):
    """`python manage.py` is refused where the settings of a service are."""
    text = path.read_text()
    if path.stem not in FOR_DEVELOPERS and path.parent.name != "decisions":
        assert re.findall(r"^.*manage\.py.*$", text, re.MULTILINE) == []
    typed = set(re.findall(r"(?:^|`|server )plenum (?:--with \S+ )?([a-z]\w+)", text, re.MULTILINE))
    assert typed - get_commands().keys() - OF_NO_APP == set()


def test_the_site_is_stopped_so_that_nobody_starts_it_again():
    """systemd holds the port: whoever stopped the server alone would have it back with the next visitor."""
    for path in (ROOT / "docs").glob("**/*.md"):
        stops = re.findall(r"systemctl stop (plenum[^`\n\").]*(?:\.socket[^`\n\")]*)?)", path.read_text())
        assert [words for words in stops if "plenum.socket" not in words] == [], path.name


# --- the licence, which the owner has yet to choose ---


def wrong_about_the_licence(root: Path) -> list[str]:
    """What README, package and trust page have to say together, once there is a licence file."""
    chosen = sorted(each.name for each in root.iterdir() if re.match(r"(LICEN[CS]E|COPYING)\b", each.name))
    readme = (root / "README.md").read_text()
    facts = {
        "README names the file": any(f"]({name})" in readme for name in chosen),
        "README keeps all rights": "all rights are kept" not in readme,
        "pyproject.toml names it": bool(re.search(r"^license", (root / "pyproject.toml").read_text(), re.MULTILINE)),
        "the trust page names it": "licence" in (root / "templates/trust/trust.html").read_text().casefold(),
    }
    return [fact for fact, told in facts.items() if told != bool(chosen)]


def test_readme_package_and_trust_page_agree_on_the_licence():
    assert wrong_about_the_licence(ROOT) == []


def test_a_licence_that_only_a_file_tells_of_is_noticed(tmp_path):
    for name in ("README.md", "pyproject.toml", "templates/trust/trust.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    (tmp_path / "LICENSE").write_text("You may.")
    assert len(wrong_about_the_licence(tmp_path)) == 4
