"""Settings: what is wrong with the environment is said in sentences, and production has no defaults for secrets."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from config.settings import BASE_DIR, Environment

SECRET = "a-long-secret-of-production-0123456789-abcdefghijklmnopqrstuvwxyz"
PRODUCTION = {
    "PROFILE": "production",
    "SECRET_KEY": SECRET,
    "HOSTS": "vote.example.org",
    "SITE_URL": "https://vote.example.org",
    "MAIL_URL": "smtp+tls://plenum:secret@mail.example.org",
    "MAIL_FROM": "Plenum <plenum@vote.example.org>",
}


def manage(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
    """Run a command as a new process with just these variables."""
    environment = {"PATH": os.environ["PATH"], **variables}
    command = [sys.executable, str(BASE_DIR / "manage.py"), *arguments]
    return subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=60)


def test_production_without_its_values_names_every_one_that_is_missing():
    run = manage("check", PROFILE="production")
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    for name in ("SECRET_KEY", "HOSTS", "DATA_DIR", "SITE_URL", "MAIL_URL", "MAIL_FROM"):
        assert f"{name} must be set in production." in run.stderr


def test_production_passes_djangos_deployment_checks(tmp_path):
    run = manage("check", "--deploy", "--fail-level", "WARNING", DATA_DIR=str(tmp_path), **PRODUCTION)
    assert run.returncode == 0, run.stderr
    assert "no issues" in run.stdout


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"PROFILE": "staging"}, "PROFILE must be one of local, production, not 'staging'."),
        ({"PORT": "many"}, "PORT must be a whole number from 1 to 65535, not 'many'."),
        ({"PORT": "70000"}, "PORT must be a whole number from 1 to 65535, not '70000'."),
        ({"REQUEST_SECONDS": "0"}, "REQUEST_SECONDS must be a whole number from 1 to 600, not '0'."),
        ({"DEBUG": "perhaps"}, "DEBUG must be yes or no, not 'perhaps'."),
        ({"LOG_LEVEL": "LOUD"}, "LOG_LEVEL must be one of"),
        ({"MAIL_URL": "pigeon://roof"}, "MAIL_URL should look like smtp+tls://user:password@mail.example.org:587."),
        ({"TRUSTED_PROXIES": "10.0.0.1, moon"}, "TRUSTED_PROXIES holds addresses or networks"),
        ({"DEFAULT_ROLE": "OWNER"}, "DEFAULT_ROLE must be one of"),
        ({"ACCOUNT_RETENTION": "1"}, "ACCOUNT_RETENTION must be 0 or at least 3"),
        ({**PRODUCTION, "DATA_DIR": "d", "SECRET_KEY": "short"}, "SECRET_KEY must have at least 50 characters."),
        ({**PRODUCTION, "DATA_DIR": "d", "DEBUG": "yes"}, "DEBUG must be off in production."),
        (
            {**PRODUCTION, "DATA_DIR": "d", "STORE_URL": "chaos+sqlite:///d"},
            "STORE_URL must not be a store with faults in production.",
        ),
    ],
)
def test_a_wrong_value_is_named(tmp_path, variables, sentence):
    run = manage("check", **{"DATA_DIR": str(tmp_path), **variables})
    assert run.returncode == 1
    assert sentence in run.stderr
    assert "Traceback" not in run.stderr


def test_several_mistakes_are_told_at_once():
    environment = Environment({"A": "x", "B": "maybe"})
    environment.number("A", 1, 1, 9)
    environment.switch("B")
    assert len(environment.mistakes) == 2


def test_an_empty_variable_counts_as_not_set():
    assert Environment({"A": ""}).text("A", "default") == "default"


def test_a_local_site_makes_its_own_secret_once(tmp_path):
    for _ in range(2):
        assert manage("check", DATA_DIR=str(tmp_path)).returncode == 0
    secret = tmp_path / "secret_key"
    assert len(secret.read_text()) > 50
    assert secret.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("command", ["create_tables", "serve"])
def test_a_data_folder_that_cannot_be_written_is_a_sentence(tmp_path, command):
    blocked = tmp_path / "file"
    blocked.write_text("")
    run = manage(command, DATA_DIR=str(blocked / "below"))
    assert run.returncode == 1
    assert "cannot be written" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("postgres://here", "must start with sqlite:/// or dynamodb://"),
        ("sqlite://relative.db", "should look like sqlite:///folder/plenum.sqlite3"),
        ("sqlite:///", "should look like sqlite:///folder/plenum.sqlite3"),
        ("dynamodb://", "should look like dynamodb://eu-central-1"),
        ("dynamodb://eu-central-1?prefx=a", "should look like dynamodb://eu-central-1"),
        ("chaos+sqlite:///here?throttling=much", "should give faults as numbers"),
        ("chaos+postgres://here?throttling=1", "must start with sqlite:/// or dynamodb://"),
    ],
)
def test_a_wrong_store_url_says_how_one_looks(tmp_path, url, sentence):
    run = manage("create_tables", DATA_DIR=str(tmp_path), STORE_URL=url)
    assert run.returncode == 1
    assert sentence in run.stderr
    assert "Traceback" not in run.stderr


def test_an_unreachable_store_is_a_sentence(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    run = manage("seal", DATA_DIR=str(tmp_path), STORE_URL=f"dynamodb://eu-central-1?endpoint=http://127.0.0.1:{port}")
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    assert f"127.0.0.1:{port}" in run.stderr


def test_a_store_that_was_never_created_says_what_to_do(tmp_path):
    run = manage("seal", DATA_DIR=str(tmp_path))
    assert run.returncode == 1
    assert "run: python manage.py create_tables" in run.stderr


def test_nothing_but_the_settings_reads_the_environment():
    for folder in ("config", "store"):
        for path in Path(BASE_DIR, folder).rglob("*.py"):
            if path.name not in ("settings.py", "wsgi.py", "gunicorn.py", "metrics.py"):
                assert "os.environ" not in path.read_text(), f"{path} reads the environment"
