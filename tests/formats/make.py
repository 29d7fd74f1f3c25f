"""Writes the files of a format: `python -m tests.formats.make NUMBER FOLDER`, with the program that is to be kept."""

from __future__ import annotations

import gzip
import os
import sqlite3
import sys
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.formats import SECRET_KEY
from tests.formats.story import tell


def write(number: str, folder: Path) -> None:
    with TemporaryDirectory() as place:
        os.environ |= {"DATA_DIR": place, "SECRET_KEY": SECRET_KEY, "DJANGO_SETTINGS_MODULE": "config.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("create_tables", stdout=StringIO())
        tell()
        whole = Path(place) / "whole.sqlite3"
        with sqlite3.connect(Path(place) / "plenum.sqlite3") as store:
            store.execute(f"VACUUM INTO '{whole}'")
        (folder / f"{number}.sqlite3.gz").write_bytes(gzip.compress(whole.read_bytes(), mtime=0))
        call_command("backup", str(folder / f"{number}.jsonl.gz"), stdout=StringIO(), stderr=StringIO())


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]))
