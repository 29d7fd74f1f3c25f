"""Input files of a command, such as a backup.

Root runs `plenum`, which switches to the site's user before anything else; that user could not read a backup in root's
home. So files named on the command line are opened first, and read through their descriptors.
"""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedReader
from pathlib import Path

_opened: dict[str, int] = {}  # descriptors by path


def open_all(arguments: Iterable[str]) -> None:
    """Open each word of a command line that names a file, also as `--option=FILE`."""
    for argument in arguments:
        path = argument.partition("=")[2] if argument.startswith("--") and "=" in argument else argument
        with suppress(OSError, ValueError):
            if path and stat.S_ISREG(os.stat(path).st_mode):
                _opened[_name(path)] = os.open(path, os.O_RDONLY)


def reader(path: str | Path) -> BufferedReader:
    """A reader from the start of the file; only one per file at a time. Raises `OSError` if it cannot be read."""
    descriptor = _opened.get(_name(path))
    if descriptor is None:
        return open(path, "rb")
    os.lseek(descriptor, 0, os.SEEK_SET)
    return open(os.dup(descriptor), "rb")


def is_file(path: str | Path) -> bool:
    """Whether it is a file and not, say, a pipe. One we may not inspect counts as a file; opening it reports the
    error."""
    try:
        return _name(path) in _opened or Path(path).is_file()
    except PermissionError:
        return True


def text(path: str | Path) -> str:
    with reader(path) as file:
        return file.read().decode()


def reason(error: OSError) -> str:
    """What is wrong with a file, and for which user if permissions are the cause."""
    message = error.strerror or type(error).__name__
    return f"{message} for the user {current_user()}" if isinstance(error, PermissionError) else message


def current_user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a number without a name, as in a container
        return str(os.geteuid())


def _name(path: str | Path) -> str:
    return os.path.abspath(path)
