"""The guide to installing, line by line: its settings, files, commands, units and alarms are real."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import subprocess
import sys

from django.core.management import get_commands

from config.settings import BASE_DIR
from tests.test_deploy import DEPLOY, RULES, unit

GUIDE = (BASE_DIR / "docs" / "how-to" / "installing.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
LINES = [line for kind, block in BLOCKS if not kind for line in block.replace("\\\n", " ").splitlines() if line.strip()]


def settings_block() -> dict[str, str]:
    """The settings in the guide, as systemd reads them: no comments in a line, nothing expanded."""
    (block,) = [block for kind, block in BLOCKS if kind == "ini"]
    pairs = dict(line.split("=", 1) for line in block.splitlines() if line and not line.startswith("#"))
    return pairs | {"SECRET_KEY": secrets.token_urlsafe(50)}


def test_the_settings_of_the_guide_are_accepted_as_they_stand(tmp_path):
    told = settings_block() | {"DATA_DIR": str(tmp_path), "PATH": os.environ["PATH"]}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    said = subprocess.run(command, cwd=BASE_DIR, env=told, capture_output=True, text=True, check=False, timeout=240)
    assert said.returncode == 0, said.stderr
    assert "no issues" in said.stdout


def test_they_are_what_init_writes_when_it_is_told_what_the_guide_tells_it():
    (line,) = [line for line in LINES if line.startswith("/srv/plenum/deploy/install ")]
    environment = {"PATH": os.environ["PATH"], "PLENUM_ENVIRONMENT": "/nonexistent/environment"}
    command = [sys.executable, "manage.py", "init", *shlex.split(line)[1:], "--file", "-"]
    said = subprocess.run(
        command, cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=False, timeout=240
    )
    assert said.returncode == 0, said.stderr
    written = dict(each.split("=", 1) for each in said.stdout.splitlines() if each and not each.startswith("#"))
    assert len(written.pop("SECRET_KEY")) >= 50
    assert written == {name: value for name, value in settings_block().items() if name != "SECRET_KEY"}


def test_no_setting_of_the_guide_is_a_secret_that_somebody_could_copy():
    (block,) = [block for kind, block in BLOCKS if kind == "ini"]
    secret = re.search(r"^SECRET_KEY=(.*)$", block, re.MULTILINE)[1]
    assert len(secret) < 50 or "(" in secret


def test_every_file_that_the_guide_names_is_there():
    named = {*re.findall(r"\bdeploy/([\w.-]+\w)", GUIDE), *re.findall(r"/srv/plenum/([\w./-]+\w)", " ".join(LINES))}
    missing = {name for name in named if not (DEPLOY / name).exists() and not (BASE_DIR / name).exists()}
    assert missing == set()


def test_every_command_that_the_guide_runs_is_one():
    run = {match[1] for line in LINES if (match := re.search(r"(?:^|/|exec server )plenum (\w+)", line))}
    assert {"doctor", "create_owner", "init"} <= run | set(re.findall(r"`plenum (\w+)`", GUIDE))
    assert run - get_commands().keys() - {"init"} == set()  # which runs before there are settings


def test_every_unit_that_the_guide_speaks_of_is_there():
    words = {word for line in LINES if "systemctl" in line for word in re.findall(r"plenum[\w.-]*", line)}
    words |= {word for each in re.findall(r"`(systemctl [^`]*)`", GUIDE) for word in re.findall(r"plenum[\w.-]*", each)}
    units = {path.name for path in DEPLOY.iterdir()} | {path.stem for path in DEPLOY.glob("*.service")}
    assert words - units == set()


def test_the_guide_has_as_many_commands_as_the_readme_says():
    first = GUIDE.partition("## Another proxy")[0]
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", first, re.MULTILINE | re.DOTALL)
    lines = [line for kind, block in blocks if not kind for line in block.splitlines() if line.strip()]
    assert len(lines) == 7
    assert "in seven commands" in " ".join((BASE_DIR / "README.md").read_text().split())


def test_the_guide_names_every_alarm_and_no_other():
    assert set(re.findall(r"`(Plenum[A-Z]\w+)`", GUIDE)) == {rule["alert"] for rule in RULES}


def test_the_worker_can_write_where_the_guide_has_mails_delivered():
    """In its own folder, or where the unit lets it."""
    guide = (BASE_DIR / "docs" / "how-to" / "mail.md").read_text()
    writable = [each.lstrip("-") for each in unit("plenum-worker.service")["ReadWritePaths"]] + ["/var/lib/plenum/"]
    named = re.findall(r"maildir://(/[\w/]+)", guide)
    assert named
    assert all(path.startswith(tuple(writable)) for path in named)
