"""Django's command, but not when nothing has changed, nor on a full disk, where it would lose the list of files."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.management.commands import collectstatic
from django.core.management.base import CommandError

from operations.upkeep import system

NEEDED_MB = 32  # several times what all static files take


class Command(collectstatic.Command):
    def handle(self, **options: Any) -> str | None:
        """Files are hashed, compressed and written anew only after a change: a quarter of a second of each start."""
        collected = settings.STATIC_ROOT.with_name(f"{settings.STATIC_ROOT.name}.collected")
        if not options["clear"] and collected.is_file() and collected.read_text() == _digest():
            return None
        if not (sentence := _obstacle()):
            collected.unlink(missing_ok=True)
            done = super().handle(**options)
            if not options["dry_run"]:
                with suppress(OSError):  # then they are collected again at the next start
                    collected.write_text(_digest())
            return done
        if not (settings.STATIC_ROOT / "staticfiles.json").exists():
            raise CommandError(sentence)
        self.stderr.write(f"{sentence} The existing static files are kept.")
        return None


def _digest() -> str:
    """Changes with every file, whether it is to be collected or has been."""
    sources = [Path(storage.path(name)) for finder in get_finders() for name, storage in finder.list([])]
    states = ((str(path), path.lstat()) for path in (*sources, *sorted(settings.STATIC_ROOT.rglob("*"))))
    found = [(path, state.st_size, state.st_mtime_ns) for path, state in states]
    return sha256(repr((settings.STORAGES, found)).encode()).hexdigest()


def _obstacle() -> str:
    """Why static files cannot be written, if so."""
    for each in system.disks():
        if settings.STATIC_ROOT.is_relative_to(each.folder) and (each.trouble or each.megabytes < NEEDED_MB):
            return each.trouble or f"The disk holding {each.folder} has only {each.megabytes} MB left."
    return ""
