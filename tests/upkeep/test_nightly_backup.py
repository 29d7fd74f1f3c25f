"""The pipe that plenum-backup.service runs every night, with a stand-in for age, which is no part of Plenum."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.settings import BASE_DIR
from foundation.store import keys
from foundation.store.table import Delete

from .test_backup import elsewhere, everything, used  # noqa: F401 - fixtures

pytestmark = pytest.mark.deep

ARGUMENTS = '[ "$1 $3" = "-R -o" ] || exit 2\nfile=$4\n'
PASSES = f'{ARGUMENTS}cat "$2" - > "$file"'
STOPS = f'{ARGUMENTS}head -c 20 > "$file"; echo "age: no space left on device" >&2; exit 1'
LIES = f'{ARGUMENTS}cat > "$file"; exit 1'
NAME = "plenum-????????T??????Z.jsonl.gz.age"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


@pytest.fixture
def nightly(settings, tmp_path, folder):
    """Runs the unit's command with a program of this text in the place of age."""
    (unit,) = (BASE_DIR / "deploy" / "plenum-backup.service").read_text().split("ExecStart=")[1:]
    words = unit.splitlines()[0].split()
    (tmp_path / "keys").write_text("")
    places = {"/var/lib/plenum-backups": folder, "/etc/plenum/backup-recipients": tmp_path / "keys"}
    command = [str(places.get(word, word)).replace("/srv/plenum", str(BASE_DIR)) for word in words]
    assert set(map(str, places.values())) < set(command)

    def run(age: str, **settings_: str) -> subprocess.CompletedProcess[str]:
        bin_ = tmp_path / "bin"
        bin_.mkdir(exist_ok=True)
        program(bin_ / "age", age)
        environment = {"PATH": f"{bin_}:{os.environ['PATH']}", "PROFILE": "local", "DATA_DIR": str(tmp_path)}
        environment |= {"STORE_URL": settings.STORE_URL, **settings_}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)

    return run


def program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_what_comes_through_the_pipe_is_the_same_store(used, nightly, folder, elsewhere, settings):  # noqa: F811
    (folder / "plenum-20200101T000000Z.jsonl.gz.age.part").write_text("of one that was killed")
    before = everything(used)
    done = nightly(PASSES)
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob(NAME)
    assert sorted(each.name for each in folder.iterdir()) == [file.name, f"{file.name}.json"]
    assert {each.stat().st_mode & 0o777 for each in folder.iterdir()} == {0o600}
    assert f"The newest backup is {file}, {file.stat().st_size} bytes." in done.stdout
    noted = used.get(keys.LAST_BACKUP)
    assert (noted["bytes"], noted["items"]) == (file.stat().st_size, len(before))
    used.write(Delete(keys.LAST_BACKUP))
    other = elsewhere()
    pipe = f'cat "{file}" | "{sys.executable}" "{BASE_DIR}/manage.py" restore -'
    environment = os.environ | {"PROFILE": "local", "STORE_URL": settings.STORE_URL}
    subprocess.run(["bash", "-o", "pipefail", "-c", pipe], env=environment, check=True, timeout=60)
    assert everything(other) == before


@pytest.mark.parametrize("age", [STOPS, LIES, "exit 1"], ids=["stops", "lies", "at once"])
def test_a_stage_that_fails_fails_the_unit_and_leaves_nothing(used, nightly, folder, age):  # noqa: F811
    done = nightly(age)
    assert done.returncode != 0
    assert list(folder.iterdir()) == []
    assert used.get(keys.LAST_BACKUP) is None


def test_a_store_that_cannot_be_read_fails_the_unit_though_age_succeeds(nightly, folder, tmp_path):
    done = nightly(PASSES, STORE_URL=f"sqlite://{tmp_path}/nowhere.sqlite3")
    assert (done.returncode, list(folder.iterdir())) == (1, [])
    assert "create_tables" in done.stderr


def test_a_stage_in_the_middle_that_fails_fails_the_unit_though_all_others_succeed(used, nightly, folder, tmp_path):  # noqa: F811
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin" / "gzip", "cat; exit 1")
    done = nightly(PASSES)
    assert (done.returncode, list(folder.iterdir())) == (1, [])
    assert used.get(keys.LAST_BACKUP) is None


def test_without_age_the_unit_says_so(used, nightly, folder):  # noqa: F811
    done = nightly("exec no-such-program")
    assert (done.returncode, list(folder.iterdir())) == (127, [])
    assert "no-such-program" in done.stderr
