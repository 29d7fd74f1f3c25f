"""`plenum`, the one way to run commands in production: whose settings it takes, as whom it runs, what it writes."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from config import environment_file, launch
from config.environment_file import BadFile
from config.settings import BASE_DIR
from config.variables import NAMES
from operations.upkeep import input_files
from tests.rows import every_row

ANSWERS = {
    "--site-url": "https://vote.example.org",
    "--mail-url": "smtp+tls://plenum:p%23w@mail.example.org",
    "--mail-from": "Plenum <vote@example.org>",
    "--registration": "invited",
}


# --- the file, as systemd reads it ---


@every_row(
    ("text", "value"),
    [
        ("A=b", "b"),
        ("A = b c \t\r\n", "b c"),
        ("A=b # no comment", "b # no comment"),
        ("# A=c\n; A=d\nA=b\nnothing", "b"),
        ("A=b\nA=c", "c"),
        ("A=", ""),
        ("A=\nB=c", ""),
        ("A='b # \" $C \\'", 'b # " $C \\'),
        ('A="b \\"c\\" \\$D \\e"', 'b "c" $D \\e'),
        ("A=\"b\nc\" 'd' e ", "b\ncde"),
        ("A=b\\ c\\\\d\\'", "b c\\d'"),
        ("A=b\\\nc", "bc"),
        ("A=it's $HOME `pwd`", "it's $HOME `pwd`"),
        ("  A=b=c", "b=c"),
    ],
)
def test_a_file_is_read_as_systemd_reads_it(text, value):
    assert environment_file.read(text)["A"] == value


@pytest.mark.parametrize(("text", "words"), [("export A=b", "without `export`"), ("A=b\nC='d", "in line 2")])
def test_what_systemd_would_read_otherwise_is_refused(text, words):
    with pytest.raises(BadFile, match=words):
        environment_file.read(text)


@every_row("value", ["", "b", "Plenum <a@b>", " b ", "'b'", 'b"c', "b\\", "$B`c`", "b\nc", '"', "b # c"])
def test_what_is_written_is_what_is_read(value):
    assert environment_file.read(environment_file.line("A", value) + "\nB=c") == {"A": value, "B": "c"}


# --- whose settings ---


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "environment"
    path.write_text("PROFILE=production\nDATA_DIR=/var/lib/plenum\nTMPDIR=/elsewhere\n")
    path.chmod(0o600)
    return path


def test_the_settings_are_those_of_the_service_and_no_others(file, capsys):
    shell = {
        launch.ENVIRONMENT_VARIABLE: str(file),
        "PATH": "/bin",
        "PORT": "1",
        "PROFILE": "local",
        "DATA_DIR": "/var/lib/plenum",
    }
    launch.load_settings(shell, {})
    of_service = {"PROFILE": "production", "DATA_DIR": "/var/lib/plenum", "TMPDIR": "/elsewhere"}
    assert shell == {launch.ENVIRONMENT_VARIABLE: str(file), "PATH": "/bin", **of_service}
    said = capsys.readouterr().err.splitlines()
    assert [line.split()[0] for line in said] == ["PROFILE", "PORT"], "whoever set them in a shell is told"


def test_for_once_a_setting_can_be_another(file):
    shell = {launch.ENVIRONMENT_VARIABLE: str(file)}
    launch.load_settings(shell, {"PORT": "8001"})
    assert (shell["PORT"], shell["PROFILE"]) == ("8001", "production")


def test_no_profile_is_guessed(file):
    file.write_text("DATA_DIR=/var/lib/plenum\n")
    with pytest.raises(launch.Refused, match="does not say PROFILE=production, and nobody guesses"):
        launch.load_settings({launch.ENVIRONMENT_VARIABLE: str(file)}, {})
    file.unlink()
    with pytest.raises(launch.Refused, match=r"is missing.*Run `plenum init`"):
        launch.load_settings({launch.ENVIRONMENT_VARIABLE: str(file)}, {})


@pytest.mark.deep
def test_what_needs_no_site_runs_on_a_machine_without_one(tmp_path, file):
    nowhere = {launch.ENVIRONMENT_VARIABLE: str(tmp_path / "nowhere")}
    environ = dict(nowhere)
    launch.load_settings(environ, {}, needs_site=False)
    assert environ["PROFILE"] == "local"
    file.write_text("DATA_DIR=/var/lib/plenum\n")
    with pytest.raises(launch.Refused, match="nobody guesses"):
        launch.load_settings({launch.ENVIRONMENT_VARIABLE: str(file)}, {}, needs_site=False)
    run = run_plenum(tmp_path, "version", DATA_DIR=str(tmp_path), **nowhere)
    assert run.returncode == 0, run.stderr


def test_a_container_has_its_settings_in_its_environment(tmp_path):
    given = {launch.ENVIRONMENT_VARIABLE: str(tmp_path / "nothing"), "PROFILE": "production", "PORT": "1"}
    launch.load_settings(given, {})
    assert (given["PROFILE"], given["PORT"]) == ("production", "1")


@pytest.mark.parametrize(
    ("content", "sentence"), [(b"export A=b", "without `export`"), (b"A=\xff", "is not written in UTF-8")]
)
def test_a_file_that_cannot_be_read_is_a_sentence(file, content, sentence):
    file.write_bytes(content)
    with pytest.raises(launch.Refused, match=sentence):
        launch.load_settings({launch.ENVIRONMENT_VARIABLE: str(file)}, {})


def test_a_folder_in_its_place_is_a_sentence(tmp_path):
    with pytest.raises(launch.Refused, match="Is a directory"):
        launch.load_settings({launch.ENVIRONMENT_VARIABLE: str(tmp_path)}, {})


def test_a_file_that_others_can_read_is_told(file, capsys):
    file.chmod(0o644)
    launch.load_settings({launch.ENVIRONMENT_VARIABLE: str(file)}, {})
    assert "can be read by others than its owner: chmod 600" in capsys.readouterr().err


# --- as whom ---


class System:
    """What becomes of a process, written down."""

    def __init__(self, uid: int):
        self.uid = uid
        self.done: list[tuple] = []

    def geteuid(self) -> int:
        return self.uid

    def __getattr__(self, name: str):
        return lambda *words: self.done.append((name, *words))


def owned_by(uid: int, monkeypatch) -> None:
    monkeypatch.setattr(launch.Path, "stat", lambda path: SimpleNamespace(st_uid=uid, st_gid=4711))


def test_root_becomes_the_owner_of_the_data(tmp_path, monkeypatch):
    nobody = pwd.getpwnam("nobody")
    owned_by(nobody.pw_uid, monkeypatch)
    system, environ = System(0), {"DATA_DIR": str(tmp_path)}
    launch.become_owner(environ, system)
    groups, *rest = system.done
    assert groups == ("initgroups", "nobody", nobody.pw_gid), "before the right to choose groups is gone"
    assert rest == [("setgid", nobody.pw_gid), ("setuid", nobody.pw_uid), ("umask", 0o077)]
    assert environ["HOME"] == nobody.pw_dir


def test_an_owner_without_a_name_is_a_number(tmp_path, monkeypatch):
    owned_by(987_654, monkeypatch)
    system = System(0)
    launch.become_owner({"DATA_DIR": str(tmp_path)}, system)
    assert system.done[:3] == [("setgroups", []), ("setgid", 4711), ("setuid", 987_654)]


def test_root_becomes_the_user_of_the_unit_though_the_data_are_roots(tmp_path):
    """As after a copy by hand: a root who looked would find nothing wrong."""
    unit, nobody = tmp_path / "plenum.service", pwd.getpwnam("nobody")
    unit.write_text("[Service]\nUser=nobody\nEnvironmentFile=/etc/plenum/environment\nUMask=0077\n")
    for file, uids in (("/etc/plenum/environment", [nobody.pw_uid]), ("/etc/another/environment", [])):
        system = System(0)
        owner_is_root = SimpleNamespace(st_uid=0, st_gid=0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(launch.Path, "stat", lambda path, owner=owner_is_root: owner)
            launch.become_owner({"DATA_DIR": str(tmp_path), launch.ENVIRONMENT_VARIABLE: file}, system, unit)
        assert [words[1] for words in system.done if words[0] == "setuid"] == uids


def is_readable_by_all(path: str | Path) -> bool:
    found = Path(path).resolve()
    return all(each.stat().st_mode & 0o001 for each in (found, *found.parents))


CAN_BECOME_ANOTHER = os.geteuid() == 0 and all(map(is_readable_by_all, (BASE_DIR, sys.prefix, sys.base_prefix)))


@pytest.mark.skipif(not CAN_BECOME_ANOTHER, reason="only root can become another user, who has to read the code")
def test_a_file_that_only_root_can_read_is_read_all_the_same(tmp_path):
    """The real way: root's files, and a site of another user."""
    tmp_path.chmod(0o700)
    (tmp_path / "list").write_text("")
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        (data / "environment").write_text(f"PROFILE=local\nDATA_DIR={data}\nSTORE_URL=sqlite://{data}/plenum.sqlite3\n")
        (data / "environment").chmod(0o600)
        shutil.chown(data, "nobody")
        said = run_plenum(data, "create_tables")
        assert said.returncode == 0, said.stderr
        assert (data / "plenum.sqlite3").owner() == "nobody"
        said = run_plenum(data, "removals", "--again", str(tmp_path / "list"))
        assert "Removed again: 0 of 0." in said.stdout, said.stderr
        said = run_plenum(data, "backup", str(tmp_path / "backup"), "--unencrypted")
        assert "Permission denied for the user nobody. Or let your shell write it: plenum backup - > " in said.stderr


def run_plenum(data: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"], launch.ENVIRONMENT_VARIABLE: str(data / "environment"), **more}
    command = [sys.executable, str(BASE_DIR / "manage.py"), *words]
    return subprocess.run(command, env=environ, cwd=data, check=False, capture_output=True, text=True, timeout=60)


def test_files_are_opened_by_whatever_names_them_and_read_more_than_once(tmp_path):
    (tmp_path / "a").write_text("of a")
    (tmp_path / "b").write_text("of b")
    input_files.open_all([str(tmp_path / "a"), f"--again={tmp_path / 'b'}", str(tmp_path), "--replace", "\0", ""])
    for name in ("a", "b"):
        (tmp_path / name).unlink()  # as if it were out of reach by now
        assert [input_files.text(tmp_path / name) for _ in range(2)] == [f"of {name}"] * 2
    with pytest.raises(IsADirectoryError):
        input_files.reader(tmp_path)


@pytest.mark.parametrize(("uid", "owner"), [(1000, 0), (1000, 65_534), (0, 0)])
def test_everybody_else_stays_who_they_are(tmp_path, monkeypatch, uid, owner):
    owned_by(owner, monkeypatch)
    system = System(uid)
    launch.become_owner({"DATA_DIR": str(tmp_path)}, system)
    assert system.done == []


def test_root_makes_no_data_folder_by_mistake(tmp_path):
    with pytest.raises(launch.Refused, match="install -d -o plenum"):
        launch.become_owner({"DATA_DIR": str(tmp_path / "nothing")}, System(0))


# --- the environment file of a new site ---


def init(place, ask=None, **changed) -> int | str:
    given = {**ANSWERS, "--file": str(place), **changed}
    return environment_file.main(
        [word for pair in given.items() if pair[1] for word in pair], "/etc/plenum/environment", ask
    )


def test_a_new_file_is_one_that_a_start_takes(tmp_path, capsys):
    place = tmp_path / "new" / "environment"
    assert init(place) == 0
    assert place.stat().st_mode & 0o777 == 0o600
    found = environment_file.read(place.read_text())
    assert environment_file.find_errors(found) == ""
    assert (found["HOSTS"], found["PROFILE"], found["REGISTRATION"]) == ("vote.example.org", "production", "invited")
    assert found["DATA_DIR"] == "/var/lib/plenum"
    assert "plenum doctor" in capsys.readouterr().out


def test_every_setting_is_in_it_and_said(tmp_path):
    init(tmp_path / "environment")
    lines = (tmp_path / "environment").read_text().splitlines()
    for name in NAMES:
        (at,) = [at for at, line in enumerate(lines) if line.lstrip("#").startswith(f"{name}=")]
        before = [line for line in lines[:at] if line.startswith("# ")]
        assert before, f"{name} is not explained"
    assert "column" not in "".join(lines), "it is no table"
    assert [line for line in lines if re.search(r"\((DynamoDB|reliability|personal data)\)", line)] == []


def test_every_site_has_a_secret_of_its_own(tmp_path):
    secrets = set()
    for name in ("one", "two"):
        init(tmp_path / name)
        secrets.add(environment_file.read((tmp_path / name).read_text())["SECRET_KEY"])
    assert len(secrets) == 2


def test_nothing_is_written_over(tmp_path):
    place = tmp_path / "environment"
    place.write_text("mine")
    assert "is there already" in init(place)
    assert place.read_text() == "mine"


def test_what_is_wrong_is_said_and_nothing_written(tmp_path):
    said = init(tmp_path / "environment", **{"--site-url": "vote.example.org", "--mail-from": "me"})
    assert "SITE_URL should look like" in said
    assert "MAIL_FROM should look like" in said
    assert list(tmp_path.iterdir()) == []


def test_where_nobody_can_answer_the_missing_options_are_named(tmp_path):
    said = init(tmp_path / "environment", **{"--mail-url": "", "--registration": ""})
    assert said == "Please give --mail-url, --registration."


def test_somebody_is_asked_for_what_is_missing(tmp_path):
    asked = []

    def answer(question: str) -> str:
        asked.append(question.rpartition(" ")[2])
        return "domains" if "REGISTRATION=" in question else "example.org"

    assert init(tmp_path / "environment", answer, **{"--registration": ""}) == 0
    assert asked == ["REGISTRATION=", "REGISTRATION_DOMAINS="]
    assert "REGISTRATION_DOMAINS=example.org" in (tmp_path / "environment").read_text()


def test_a_file_can_be_printed_for_a_container(capsys):
    assert init("-") == 0
    assert environment_file.find_errors(environment_file.read(capsys.readouterr().out)) == ""


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    assert "cannot be written" in init(tmp_path / "file" / "environment")


# --- all of it ---


def test_help_lists_our_commands_and_not_djangos():
    listed = launch.command_help()
    assert {"  init ", "  doctor ", "  backup "} <= {line[: line.index(" ", 3) + 1] for line in listed.splitlines()[3:]}
    assert "makemigrations" not in listed
    assert all(line.rstrip().endswith(".") for line in listed.splitlines() if line.startswith("  "))


@pytest.mark.deep
def test_the_wrapper_runs_commands_by_the_file(tmp_path, file):
    """Linked from elsewhere, as the guide has it, in a folder that is not the code's."""
    (tmp_path / "plenum").symlink_to(BASE_DIR / "deploy" / "plenum")
    file.write_text(f"PROFILE=local\nDATA_DIR={tmp_path}\nPORT=many\n")
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    variables = {"PATH": path, "PLENUM_ENVIRONMENT": str(file)}
    command = [tmp_path / "plenum", "create_tables"]
    run = subprocess.run(command, check=False, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=240)
    assert (run.returncode, run.stderr) == (
        1,
        "Plenum cannot start.\nPORT must be a whole number from 1 to 65535, not 'many'.\n",
    )
