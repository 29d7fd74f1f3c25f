"""Django's command, but not on a full disk, where it would lose the existing list of files."""

from typing import Any

from django.conf import settings
from django.contrib.staticfiles.management.commands import collectstatic
from django.core.management.base import CommandError

from upkeep import disk

NEEDED_MB = 32  # several times what all static files take


class Command(collectstatic.Command):
    def handle(self, **options: Any) -> str | None:
        if not (sentence := _obstacle()):
            return super().handle(**options)
        if not (settings.STATIC_ROOT / "staticfiles.json").exists():
            raise CommandError(sentence)
        self.stderr.write(f"{sentence} The existing static files are kept.")
        return None


def _obstacle() -> str:
    """Why static files cannot be written, if so."""
    for each in disk.disks():
        if settings.STATIC_ROOT.is_relative_to(each.folder) and (each.trouble or each.megabytes < NEEDED_MB):
            return each.trouble or f"The disk holding {each.folder} has only {each.megabytes} MB left."
    return ""
