"""How commands are run: by a developer as `manage.py`, in production as `plenum`, with the settings of the service.

`deploy/plenum` passes their location in PLENUM_ENVIRONMENT. There no profile is guessed, and root becomes the user who
owns the data: files owned by root would break the site afterwards.
"""

from __future__ import annotations

import ast
import gc
import os
import pwd
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command, execute_from_command_line

from operations.upkeep import input_files, shared_metrics

from . import environment_file
from .variables import NAMES

CODE = Path(__file__).resolve().parent.parent
ENVIRONMENT_VARIABLE = "PLENUM_ENVIRONMENT"
WITHOUT_A_SITE = ("count", "drill", "version")  # commands that need no settings
SHARES_METRICS = (["serve"], ["worker"])  # the commands whose processes share metrics
UNIT_FILE = Path("/etc/systemd/system/plenum.service")
Environ = MutableMapping[str, str]
HEAD = """\
plenum COMMAND …: run a command of Plenum with the settings of the site. `plenum COMMAND --help` says more.
plenum --with NAME=value COMMAND …: with another setting, this once.
"""


class Refused(Exception):
    """Why nothing is run, as a sentence."""


def run(argv: list[str], environ: Environ) -> int | str:
    """The exit status of the process, or an error message."""
    gc.disable()  # until all is loaded (config.apps), which leaves no garbage; looking for it takes a tenth of a start
    try:
        if ENVIRONMENT_VARIABLE in environ:
            return _plenum(argv[1:], environ)
        _execute(argv, environ)
    except (ImproperlyConfigured, Refused) as refused:
        return str(refused)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _plenum(arguments: list[str], environ: Environ) -> int | str:
    own, arguments = _own_settings(arguments)
    if not arguments or arguments in (["help"], ["--help"], ["-h"]):
        sys.stdout.write(command_help())
        return 0
    if arguments[0] == "init":
        return environment_file.main(
            arguments[1:], environ[ENVIRONMENT_VARIABLE], input if sys.stdin.isatty() else None
        )
    load_settings(environ, own, needs_site=arguments[0] not in WITHOUT_A_SITE)
    if os.geteuid() == 0:
        input_files.open_all(arguments[1:])
    become_owner(environ)
    try:
        _execute(["plenum", *arguments], environ)
    except ImproperlyConfigured as refused:
        if arguments[0] != "doctor":
            raise
        return "\n".join(f"broken        Settings: {sentence}" for sentence in str(refused).splitlines()[1:])
    return 0


def _execute(argv: list[str], environ: Environ) -> None:
    if argv[1:2] in SHARES_METRICS and "--once" not in argv:
        environ.update(shared_metrics.environment(settings.METRICS_DIR))
    if argv[1:] != ["version"]:
        execute_from_command_line(argv)
        return
    django.setup()  # Django would print its own version
    call_command("version")


def _own_settings(arguments: list[str]) -> tuple[dict[str, str], list[str]]:
    """The settings given by `--with`, and the remaining arguments."""
    found = {}
    while arguments[:1] == ["--with"]:
        name, is_given, value = (arguments[1] if len(arguments) > 1 else "").partition("=")
        if not is_given:
            raise Refused("After --with comes NAME=value.")
        found[name], arguments = value, arguments[2:]
    return found, arguments


# --- settings ---


def load_settings(environ: Environ, own: dict[str, str], *, needs_site: bool = True) -> None:
    """Use the environment of the service only: the shell's own variables would make it a different site."""
    path = Path(environ[ENVIRONMENT_VARIABLE])
    if os.path.lexists(path):
        file_settings = _read(path)
        for name in [name for name in NAMES if name in environ and environ[name] != file_settings.get(name)]:
            _warn(f"{name} of your shell is not used; {path} holds. For this once: plenum --with {name}=… COMMAND")
            del environ[name]
        environ.update(file_settings)
    environ.update(own)
    if not environ.get("PROFILE", "").strip():
        if needs_site or os.path.lexists(path):
            missing = f"{path} is missing, and PROFILE is not set. Run `plenum init`, or name a file in "
            unsaid = f"{path} does not say PROFILE=production, and nobody guesses. Add that line; DATA_DIR belongs "
            raise Refused(f"{unsaid}there, too." if os.path.lexists(path) else f"{missing}{ENVIRONMENT_VARIABLE}.")
        environ["PROFILE"] = "local"


def _read(path: Path) -> dict[str, str]:
    try:
        if path.stat().st_mode & 0o077:
            _warn(f"{path} can be read by others than its owner: chmod 600 {path}")
        return environment_file.read(path.read_text("utf-8"))
    except PermissionError:
        raise Refused(f"{path} is not yours to read. Run plenum as root: sudo plenum …") from None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise Refused(f"{path} is not written in UTF-8.") from None
    except environment_file.BadFile as mistake:
        raise Refused(f"{path}: {mistake}") from None


def _warn(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")


# --- the owner of the data ---


def become_owner(environ: Environ, system: Any = os, unit: Path = UNIT_FILE) -> None:
    """Switch from root to the site's user: the one its unit names, or else the owner of DATA_DIR.

    After a manual copy DATA_DIR may belong to root, and checks run as root would find nothing wrong. Other users are
    left alone.
    """
    folder = environ.get("DATA_DIR", "").strip()
    if system.geteuid() != 0 or not folder:
        return
    try:
        owner = Path(folder).stat()
    except OSError as error:
        raise Refused(
            f"DATA_DIR {folder}: {error.strerror}. Make it for the user that the site runs as, "
            f"such as: install -d -o plenum -g plenum -m 700 {folder}"
        ) from None
    user = user_of_unit(unit, environ.get(ENVIRONMENT_VARIABLE, ""))
    if user is not None:
        _become(user.pw_uid, user.pw_gid, environ, system)
    elif owner.st_uid:
        _become(owner.st_uid, owner.st_gid, environ, system)


def user_of_unit(unit: Path, file: str) -> pwd.struct_passwd | None:
    """The user systemd runs the site as, if its unit exists and uses these settings."""
    try:
        lines = unit.read_text().splitlines()
        options = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
        if options.get("EnvironmentFile", "").removeprefix("-") != file:
            return None
        return pwd.getpwnam(options.get("User", ""))
    except (OSError, KeyError):  # no such unit, or no such user
        return None


def _become(uid: int, gid: int, environ: Environ, system: Any) -> None:
    try:
        person = pwd.getpwuid(uid)
    except KeyError:  # a uid without a name, as in a container
        system.setgroups([])
    else:
        system.initgroups(person.pw_name, person.pw_gid)
        environ.update(HOME=person.pw_dir, USER=person.pw_name, LOGNAME=person.pw_name)
        gid = person.pw_gid
    system.setgid(gid)
    system.setuid(uid)
    system.umask(0o077)


# --- help ---


def command_help() -> str:
    """Plenum's own commands, described by the first line of their modules."""
    paths = (CODE / "operations" / "upkeep" / "management" / "commands").glob("[a-z]*.py")
    lines = {path.stem: (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0] for path in paths}
    lines["init"] = "Write the settings of a new site, with a secret of its own."
    width = max(map(len, lines))
    return HEAD + "\n" + "".join(f"  {name:<{width}}  {lines[name]}\n" for name in sorted(lines))
