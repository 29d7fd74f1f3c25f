"""A file of settings as systemd's EnvironmentFile reads it: no shell, nothing expanded, comments on their own lines."""

from __future__ import annotations

import re

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
            value, at = _value(text, assigned.end())
            found[_check_name(assigned[1])] = value
        at = text.find("\n", at) + 1 or len(text)
    return found


def _check_name(name: str) -> str:
    if not VARIABLE_NAME.fullmatch(name):
        raise BadFile(f"{name!r} cannot be the name of a setting. Lines look like NAME=value, without `export`.")
    return name


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
