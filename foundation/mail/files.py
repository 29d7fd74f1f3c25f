"""E-mail backend of the local profile: private files, because mails contain links that open accounts."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_ISVTX
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

PRIVATE_MODE = 0o700


class EmailBackend(BaseEmailBackend):
    """One file per mail. Django's backend names files after the second and a memory address, which the next mail may
    share."""

    def __init__(self, *, file_path: str | None = None, **options: Any):
        super().__init__(**options)
        self.folder = Path(file_path or settings.EMAIL_FILE_PATH)
        self.folder.mkdir(parents=True, exist_ok=True)
        with suppress(PermissionError):  # another user's folder, whose owner controls access
            restrict_access(self.folder)

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            name = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(8)}.log"
            handle = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(message.message().as_bytes() + b"\n")
        return len(email_messages)


def restrict_access(folder: Path) -> None:
    """Restricts existing files first, then the folder: a private folder means that all files are done."""
    mode = S_IMODE(folder.stat().st_mode)
    if mode == PRIVATE_MODE or mode & S_ISVTX:  # shared folders such as /tmp
        return
    for file in folder.glob("*.log"):
        file.chmod(0o600)
    folder.chmod(PRIVATE_MODE)
