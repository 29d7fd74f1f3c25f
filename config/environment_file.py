"""The file of settings, as systemd's EnvironmentFile reads it: no shell, nothing expanded, comments on their own lines;
and `plenum init`, which writes a new one.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from .variables import VARIABLES

NAME = re.compile(r"[ \t\r]*([^\s#;=][^=\n]*?)[ \t\r]*=")
PIECE = re.compile(
    r"""[ \t\r]*(?:'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>(?:[^\s\\'"]|\\.)(?:[^\\\n]|\\.)*))""",
    re.DOTALL,
)
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SAFE = re.compile(r"""[^\s\\'"](?:[^\\\n]*[^\s\\])?""")


class BadFile(ValueError):
    """A file that systemd would read differently from what its author meant; the message says where."""


def read(text: str) -> dict[str, str]:
    """The variables of the file. A line without `=` is ignored, as by systemd."""
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        if assigned := NAME.match(text, at):
            name = assigned[1]
            if not VARIABLE_NAME.fullmatch(name):
                raise BadFile(
                    f"{name!r} cannot be the name of a setting. Lines look like NAME=value, without `export`."
                )
            found[name], at = _value(text, assigned.end())
        at = text.find("\n", at) + 1 or len(text)
    return found


def _value(text: str, at: int) -> tuple[str, int]:
    """The value after a name, and where it ends; quoted pieces may be followed by more."""
    meant = ""
    while piece := PIECE.match(text, at):
        meant, at = meant + _unquote(piece), piece.end()
        if piece["plain"] is not None:
            break
    if text[at : text.find("\n", at) + 1 or None].strip():
        raise BadFile(f"A quotation mark is never closed, in line {text.count(chr(10), 0, at) + 1}.")
    return meant, at


def _unquote(piece: re.Match[str]) -> str:
    if piece["single"] is not None:
        return piece["single"]
    if piece["double"] is not None:
        return re.sub(r'\\(["\\`$\n])', lambda escaped: escaped[1].strip("\n"), piece["double"])
    return re.sub(r"(?s)\\(.)", lambda escaped: escaped[1].strip("\n"), piece["plain"].rstrip())


def line(name: str, value: str) -> str:
    """A line that is read as this value; unquoted if possible, as containers do not know quotes."""
    if not value or SAFE.fullmatch(value):
        return f"{name}={value}"
    return f'{name}="' + re.sub(r'(["\\`$])', r"\\\1", value) + '"'


Ask = Callable[[str], str]
REGISTRATION = ("open", "invited", "domains", "closed")


class Question(NamedTuple):
    name: str
    text: str

    @property
    def option(self) -> str:
        return f"--{self.name.lower().replace('_', '-')}"


REQUIRED_QUESTIONS = (
    Question("SITE_URL", "where people will reach the site, such as https://vote.example.org"),
    Question(
        "MAIL_URL",
        "how mail leaves: smtp+tls://user:password@mail.example.org:587 (in a password # is %%23, / is %%2F)",
    ),
    Question("MAIL_FROM", "the sender of mails, such as Plenum <vote@example.org>"),
    Question("REGISTRATION", f"who may register: {', '.join(REGISTRATION)}"),
)
DOMAINS = Question("REGISTRATION_DOMAINS", "with `domains`, which ones: example.org, or .example.org for all below it")
DEFAULTS = {"DATA_DIR": "/var/lib/plenum", "TRUSTED_PROXIES": "127.0.0.1,::1"}
HEAD = """\
# The settings of Plenum, read by systemd, by containers and by `plenum`. It is no shell file: nothing is expanded,
# and a comment needs a line of its own. Keep it secret: who has SECRET_KEY can be anybody.
"""


def main(arguments: list[str], file: str, ask: Ask | None) -> int | str:
    """Write the file and print the next steps, or return why not. Without `ask` it is not interactive."""
    options = vars(_parser(file).parse_args(arguments))
    place = options.pop("file")
    if place != "-" and os.path.lexists(place):
        return f"{place} is there already. Change it there, or choose another name with --file."
    answers = {name.upper(): value for name, value in options.items() if value}
    try:
        answers |= _ask_missing(answers, ask)
    except _Unanswered as missing:
        return str(missing)
    text = render_file(answers, secrets.token_urlsafe(50))
    return find_errors(read(text)) or _write_file(text, place)


def _parser(file: str) -> ArgumentParser:
    parser = ArgumentParser("plenum init", description="Writes the settings of a new site; asks for what is not given.")
    for question in (*REQUIRED_QUESTIONS, DOMAINS):
        parser.add_argument(question.option, help=question.text)
    for name, value in DEFAULTS.items():
        parser.add_argument(f"--{name.lower().replace('_', '-')}", default=value, help=f"{value} if not given")
    parser.add_argument("--file", default=file, help=f"where to write it, or - to print it; {file} if not given")
    return parser


class _Unanswered(Exception):
    pass


def _ask_missing(answered: Mapping[str, str], ask: Ask | None) -> dict[str, str]:
    missing = [question for question in REQUIRED_QUESTIONS if question.name not in answered]
    if missing and ask is None:
        raise _Unanswered(f"Please give {', '.join(question.option for question in missing)}.")
    answers = (
        {question.name: ask(f"{question.text.replace('%%', '%')}\n  {question.name}=") for question in missing}
        if ask
        else {}
    )
    needs_domains = (dict(answered) | answers)["REGISTRATION"] == "domains" and DOMAINS.name not in answered
    if needs_domains and ask:
        answers[DOMAINS.name] = ask(f"{DOMAINS.text}\n  {DOMAINS.name}=")
    return answers


def render_file(answers: Mapping[str, str], secret: str) -> str:
    """The file: the answers, and every other setting commented out with its default."""
    known = {variable.name for variable in VARIABLES}
    values = {"PROFILE": "production", "SECRET_KEY": secret, "HOSTS": _host(answers["SITE_URL"]), **answers}
    lines = [line(name, value) for name, value in values.items() if name not in known]
    for each in VARIABLES:
        value = values.get(each.name)
        lines += ["", f"# {each.plain_text}"]
        lines.append(line(each.name, value) if value else f"#{each.name}={each.default}")
    return HEAD + "\n".join(lines) + "\n"


def _host(site_url: str) -> str:
    try:
        host = urlsplit(site_url).hostname or ""
    except ValueError:
        return ""  # the settings will report what is wrong with it
    return f"[{host}]" if ":" in host else host


def find_errors(variables: Mapping[str, str]) -> str:
    """The errors a start with these settings would report; empty if there are none."""
    spec = find_spec("config.settings")
    assert spec is not None
    assert spec.loader is not None
    with _environment(variables):
        try:
            spec.loader.exec_module(module_from_spec(spec))
        except ImproperlyConfigured as refused:
            return str(refused)
    return ""


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _write_file(text: str, place: str) -> int | str:
    if place == "-":
        sys.stdout.write(text)
        return 0
    try:
        Path(place).parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with open(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
    except OSError as error:
        return f"{place} cannot be written: {error.strerror}."
    sys.stdout.write(f"{place} is written, and only its owner can read it. Start the site, then run: plenum doctor\n")
    return 0
