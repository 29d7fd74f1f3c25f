"""Files that a command is given to read, such as a backup.

Root runs `plenum`, which becomes the user of the site before anything else happens; a backup in root's home would be
beyond that user. So whatever file is named on the command line is opened first, and read by what was opened.
"""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedReader
from pathlib import Path

_opened: dict[str, int] = {}  # by path, as descriptors


def open_all(words: Iterable[str]) -> None:
    """Open each word of a command line that names a file, also as `--option=FILE`."""
    for word in words:
        path = word.partition("=")[2] if word.startswith("--") and "=" in word else word
        with suppress(OSError, ValueError):
            if path and stat.S_ISREG(os.stat(path).st_mode):
                _opened[_name(path)] = os.open(path, os.O_RDONLY)


def reader(path: str | Path) -> BufferedReader:
    """From its beginning; one at a time of each file. Raises `OSError` if there is none to be read."""
    descriptor = _opened.get(_name(path))
    if descriptor is None:
        return open(path, "rb")
    os.lseek(descriptor, 0, os.SEEK_SET)
    return open(os.dup(descriptor), "rb")


def is_file(path: str | Path) -> bool:
    """Not a pipe, say. Whatever nobody may look at counts as one: who opens it is told so."""
    try:
        return _name(path) in _opened or Path(path).is_file()
    except PermissionError:
        return True


def text(path: str | Path) -> str:
    with reader(path) as file:
        return file.read().decode()


def reason(error: OSError) -> str:
    """What is wrong with a file, and for whom, where that matters."""
    words = error.strerror or type(error).__name__
    if not isinstance(error, PermissionError):
        return words
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a number without a name, as in a container
        user = str(os.geteuid())
    return f"{words} for the user {user}"


def _name(path: str | Path) -> str:
    return os.path.abspath(path)
