"""Mails of the local profile, as files: links that open accounts stand in them, so they are their owner's alone."""

from __future__ import annotations

import os
import secrets
import time
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_ISVTX
from typing import IO, Any

from django.core.mail.backends.filebased import EmailBackend as FileBackend

OURS = 0o700


class EmailBackend(FileBackend):
    stream: IO[bytes] | None

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        with suppress(PermissionError):  # a folder of somebody else, who says who may look into it
            tighten(Path(self.file_path))

    def open(self) -> bool:
        """Each connection writes a new file. Django tells files of one second apart by the address of the backend in
        memory, which the next one may have, too."""
        if self.stream is not None:
            return False
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(8)}.log"
        handle = os.open(os.path.join(self.file_path, name), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.stream = os.fdopen(handle, "ab")
        return True


def tighten(folder: Path) -> None:
    """What was written earlier first, then the folder: that nobody else gets into it says that all has been done."""
    mode = S_IMODE(folder.stat().st_mode)
    if mode == OURS or mode & S_ISVTX:  # a folder such as /tmp is everybody's
        return
    for file in folder.glob("*.log"):
        file.chmod(0o600)
    folder.chmod(OURS)
