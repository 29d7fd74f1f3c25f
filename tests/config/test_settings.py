"""Settings: what is wrong with the environment is said in sentences, and production has no defaults for secrets."""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config import checks
from config.environment_file import find_errors
from config.settings import BASE_DIR, Environment
from config.variables import NAMES
from tests.rows import every_row

SECRET = "Zt4wVb-19xKe_QmR7uYpLh3sDgN8cJfA2iTzXoBvW6rEkMyS5nCqHj0"
PRODUCTION = {
    "PROFILE": "production",
    "SECRET_KEY": SECRET,
    "HOSTS": "vote.example.org",
    "SITE_URL": "https://vote.example.org",
    "MAIL_URL": "smtp+tls://plenum:secret@mail.example.org",
    "MAIL_FROM": "Plenum <plenum@vote.example.org>",
    "REGISTRATION": "invited",
}


def manage(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
    """Run a command as a new process with just these variables."""
    environment = {"PATH": os.environ["PATH"], "PROFILE": "local", **variables}
    command = [sys.executable, str(BASE_DIR / "manage.py"), *arguments]
    return subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=240)


@pytest.mark.deep
def test_production_without_its_values_names_every_one_that_is_missing():
    run = manage("check", PROFILE="production")
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    for name in ("SECRET_KEY", "HOSTS", "DATA_DIR", "SITE_URL", "MAIL_URL", "MAIL_FROM", "REGISTRATION"):
        assert f"{name} must be set in production." in run.stderr


@pytest.mark.deep
def test_production_has_to_choose_who_may_register_and_lets_newcomers_only_vote(tmp_path):
    assert (settings.REGISTRATION, settings.DEFAULT_ROLE, settings.MAILS_A_DAY) == ("open", "USER", 500)
    assert chosen(tmp_path) == "invited VOTER 500\n"
    assert chosen(tmp_path, DEFAULT_ROLE="USER", MAILS_A_DAY="0") == "invited USER 0\n", "what is set explicitly holds"


def chosen(folder: Path, **variables: str) -> str:
    """What production makes of the variables, in a process of its own."""
    words = "from config import settings as s; print(s.REGISTRATION, s.DEFAULT_ROLE, s.MAILS_A_DAY)"
    environment = {"PATH": os.environ["PATH"], "DATA_DIR": str(folder), **PRODUCTION, **variables}
    command = [sys.executable, "-c", words]
    return subprocess.run(
        command, check=True, cwd=BASE_DIR, env=environment, capture_output=True, text=True, timeout=240
    ).stdout


def test_what_is_missing_or_wrong_about_who_may_register_is_a_sentence():
    environment = Environment({"DOMAINS": "Example.org, .example.net", "WRONG": "ada@example.org, *.example.org"})
    assert environment.choice("RULE", ("open", "closed"), needed=False) == "open"
    assert environment.domains("DOMAINS", needed=True) == ["example.org", ".example.net"]
    assert environment.mistakes == []
    environment.choice("RULE", ("open", "closed"), needed=True)
    environment.domains("MISSING", needed=True)
    environment.domains("WRONG", needed=True)
    assert environment.mistakes == [
        "RULE must be set in production. It is one of open, closed.",
        "MISSING must name the domains whose addresses may register.",
        "WRONG holds domains, such as example.org or .example.org, not 'ada@example.org'.",
        "WRONG holds domains, such as example.org or .example.org, not '*.example.org'.",
    ]


@pytest.mark.deep
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
        ({"PORT": "1" * 5000}, "PORT must be a whole number from 1 to 65535"),
        ({"HOST": "http://0.0.0.0"}, "HOST should be an address to listen at"),
        ({"MAIL_URL": "pigeon://roof"}, "MAIL_URL should look like smtp+tls://user:password@mail.example.org:587."),
        (
            {
                "MAIL_URL": "smtp+tls://user:pass#word@mail.example.org",
                "MAIL_REPLY_TO": "nobody",
                "MAIL_CA": "/not/there.pem",
                "BOUNCES_URL": "pop://roof",
            },
            "/ as %2F, ? as %3F, [ as %5B, ] as %5D, a blank as %20, and % itself as %25.\n"
            "MAIL_REPLY_TO should look like help@example.org, not 'nobody'.\n"
            "MAIL_CA '/not/there.pem' cannot be read: No such file or directory.\n"
            "BOUNCES_URL should look like imaps://user:password@mail.example.org/INBOX.",
        ),
        ({"TRUSTED_PROXIES": "10.0.0.1, moon"}, "TRUSTED_PROXIES holds addresses or networks"),
        ({"DEFAULT_ROLE": "OWNER"}, "DEFAULT_ROLE must be one of"),
        ({"BACKUP_RECIPIENTS": "age1moon"}, "BACKUP_RECIPIENTS is no longer a setting. The program age"),
        (
            {
                "SITE_NAME": "Our\nvotes",
                "SITE_COLOUR": "yellow",
                "SITE_LOGO": "/nowhere.png",
                "SITE_TIME_ZONE": "Mars/Olympus",
                "SITE_LANGUAGE": "en",
                "SITE_URL": "https://vote.example.org/a//b",
            },
            "The path of SITE_URL is made of letters, digits and hyphens, not '/a//b'.\n"
            "SITE_NAME must have 1 to 60 characters, all of them visible and on one line.\n"
            "SITE_COLOUR should look like #56278a, not 'yellow'.\n"
            "SITE_LOGO /nowhere.png cannot be read: No such file or directory.\n"
            "SITE_TIME_ZONE must be a place such as Europe/Berlin, or UTC, not 'Mars/Olympus'.",
        ),
    ],
)
def test_a_wrong_value_is_named(tmp_path, variables, sentence):
    assert sentence in find_errors({"PROFILE": "local", "DATA_DIR": str(tmp_path), **variables})


SECRETS = {
    "BACKUP_RECIPIENTS": "AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "STORE_URL": "postgres://plenum:correct-horse@db.example.org/plenum",
    "SITE_URL": "https://plenum:correct-horse@vote example.org",
    "HOSTS": "https://plenum:correct-horse@vote.example.org",
    "MAIL_URL": "smtp://plenum:correct-horse@mail.example.org:70000",
    "MAIL_REPLY_TO": "f3Kq9ZtVb7mXw2LcYr8sPd5N",
    "MAIL_CA": "-----BEGIN PRIVATE KEY----- MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF",
    "REGISTRATION": "f3Kq9ZtVb7mXw2LcYr8sPd5N",
    "PORT": "f3Kq9ZtVb7mXw2LcYr8sPd5N",
    "METRICS_TOKEN": "correct-horse",
    "BOUNCES_URL": "pop://plenum:correct-horse@mail.example.org",
}


def test_no_refusal_repeats_what_looks_like_a_secret():
    """They are written to the journal, which other people read."""
    said = "\n".join(wrong(**SECRETS))
    assert [name for name in SECRETS if name not in said] == []
    assert [name for name, value in SECRETS.items() if value[4:] in said] == []
    assert "correct-horse" not in said


def test_a_file_that_holds_no_certificate_is_refused(tmp_path):
    file = tmp_path / "ca.pem"
    file.write_text("root:x:0:0:root:/root:/bin/sh\n")
    assert f"OUTGOING_CA '{file}' holds no certificate in PEM format." in wrong(OUTGOING_CA=str(file))
    assert f"MAIL_CA '{file}' holds no certificate in PEM format." in wrong(MAIL_CA=str(file))
    assert "METRICS_TOKEN must have at least 20 characters." in wrong(METRICS_TOKEN="x")


def wrong(**variables: str) -> list[str]:
    """What production says to these settings, besides that it cannot start."""
    return find_errors({**PRODUCTION, "DATA_DIR": "/var/lib/plenum", **variables}).splitlines()[1:]


ENCODE = "MAIL_URL has a character in its user name or password that ends that part of an address: write # as %23"
LOOKS = "MAIL_URL should look like smtp+tls://user:password@mail.example.org:587."


@every_row(
    ("name", "value", "sentence"),
    [
        ("SECRET_KEY", "short", "SECRET_KEY must have at least 50 characters."),
        ("DEBUG", "yes", "DEBUG must be off in production."),
        ("STORE_URL", "sqlite://d", "STORE_URL should look like sqlite:///folder/plenum.sqlite3, with three slashes."),
        ("STORE_URL", "dynamodb://[x", "STORE_URL is no address."),
        ("DATA_DIR", "data", "DATA_DIR must start with / in production"),
        ("SITE_URL", "vote.example.org", "SITE_URL should look like https://vote.example.org, not 'vote.example.org'."),
        ("SITE_URL", "http://vote.example.org", "SITE_URL must start with https:// in production"),
        ("SITE_URL", "https://vote.example.org:99999", "SITE_URL should look like"),
        ("SITE_URL", "https://[vote", "SITE_URL should look like"),
        ("SITE_URL", "https://me@vote.example.org", "SITE_URL has a scheme, a host and perhaps"),
        ("SITE_URL", "https://vote.example.org?a=b", "SITE_URL has a scheme, a host and perhaps"),
        ("HOSTS", "https://vote.example.org", "HOSTS holds names such as vote.example.org, without https://"),
        ("HOSTS", "vote.example.org/vote", "without a path, not 'vote.example.org/vote'."),
        ("HOSTS", "vote.example.org:443", "HOSTS holds names without a port"),
        ("HOSTS", "vote example org", "HOSTS holds names such as vote.example.org, not 'vote example org'."),
        ("HOSTS", "other.example.org", "HOSTS must name the host of SITE_URL, vote.example.org."),
        ("HOSTS", "*", "HOSTS must name hosts in production"),
        ("MAIL_FROM", "Plenum", "MAIL_FROM should look like Plenum <vote@example.org>, not 'Plenum'."),
        ("MAIL_FROM", "a@example.org, b@example.org", "MAIL_FROM should look like"),
        ("MAIL_FROM", "Plenum <vote@example.org", "MAIL_FROM should look like"),
        ("MAIL_URL", "smtp+tls://me:a#b@mail.example.org", ENCODE),
        ("MAIL_URL", "smtp+tls://me:a/b@mail.example.org:587", ENCODE),
        ("MAIL_URL", "smtp+tls://me:a?@mail.example.org", ENCODE),
        ("MAIL_URL", "smtp+tls://me:a[b@mail.example.org", ENCODE),
        ("MAIL_URL", "smtps://mail.example.org:99999", "MAIL_URL has a port that is none"),
        ("MAIL_URL", "smtps://mail.example.org:0", "MAIL_URL has a port that is none"),
        ("MAIL_URL", "smtps://mail.example.org:many", LOOKS),
        ("MAIL_URL", "smtps://mail.example.org/box", "MAIL_URL ends with the host and its port"),
        ("MAIL_URL", "smtp://", LOOKS),
        ("MAIL_URL", "file://folder", "MAIL_URL should look like file:///folder"),
        ("TRUSTED_PROXIES", "0.0.0.0/0", "TRUSTED_PROXIES must not hold all addresses there are"),
        ("MAIL_FROM", "plenum@example.org    # the sender", "MAIL_FROM holds a comment. systemd takes it"),
        ("HOSTS", "vote.example.org # and no other", "HOSTS holds a comment. systemd takes it"),
        ("MAIL_FROM", "'Plenum <vote@example.org>'", "MAIL_FROM has quotation marks around it"),
        ("SITEURL", "https://vote.example.org", "SITEURL is no setting. Did you mean SITE_URL?"),
        ("MAIL_FORM", "vote@example.org", "MAIL_FORM is no setting. Did you mean MAIL_FROM?"),
        ("WEB_THREAD", "3", "WEB_THREAD is no setting. Did you mean WEB_THREADS?"),
        ("SITE__URL", "3", "SITE__URL is no setting. Did you mean SITE_URL?"),
    ],
)
def test_production_names_a_wrong_value(name, value, sentence):
    found = wrong(**{name: value})
    assert any(sentence in each for each in found), found
    assert not any("a#b" in each or "a/b" in each for each in found), "a password is not repeated"


@every_row(
    ("name", "value"),
    [
        ("SITE_URL", "https://vote.example.org:8443/below/"),
        ("SITE_URL", "https://VOTE.example.org"),
        ("HOSTS", ".example.org"),
        ("HOSTS", "[::1], 127.0.0.1, vote.example.org"),
        ("MAIL_FROM", '"Board, Members" <vote@example.org>'),
        ("MAIL_FROM", "Team #1 <vote@example.org>"),
        ("MAIL_URL", "smtp+tls://me%40example.org:a%23b%2Fc:d@mail.example.org"),
        ("MAIL_URL", "smtps://[2001:db8::25]:465"),
        ("MAIL_URL", "file:///var/mails"),
        ("TRUSTED_PROXIES", "10.0.0.0/8, ::1"),
        ("STORE_URL", "dynamodb://eu-central-1?prefix=plenum-"),
        ("MAIL", "/var/mail/root"),
        ("HOSTNAME", "machine"),
        ("HOME", "/srv/plenum"),
    ],
)
def test_production_takes_what_is_right(name, value):
    assert wrong(**{name: value}) == []


@every_row(
    "secret",
    [
        "…                # python3 -c 'import secrets; print(secrets.token_urlsafe(50))'",
        "changeme-" * 7 + "x",
        "x" * 60,
        "abcd1234" * 8,
        "another" * 10,
        "a-long-secret-of-production-0123456789-abcdefghijklmnopqrstuvwxyz",
        "django-insecure-Zt4wVb19xKeQmR7uYpLh3sDgN8cJfA2iTzXoBvW6rEkMyS5",
        "Zt4wVb-19xKe QmR7uYpLh3sDgN8cJfA2iTzXoBvW6rEkMyS5nCqHj0",
    ],
)
def test_a_secret_that_looks_like_documentation_is_refused(secret):
    (sentence,) = [each for each in wrong(SECRET_KEY=secret) if each.startswith("SECRET_KEY looks")]
    assert sentence.startswith("SECRET_KEY looks like an example, not like a secret.")
    assert secret not in sentence


@pytest.mark.parametrize("make", [lambda: secrets.token_urlsafe(50), lambda: secrets.token_hex(32)])
def test_a_secret_made_by_chance_is_taken(make):
    assert not any(list(checks.wrong_secret(make())) for _ in range(200))


def test_every_mistake_has_a_line_of_its_own():
    text = find_errors({"PROFILE": "production", "PORT": "many", "LOG_LEVEL": "LOUD", "SITEURL": "x"})
    first, *sentences = text.splitlines()
    assert first == "Plenum cannot start."
    assert {sentence.split()[0] for sentence in sentences} >= {"PORT", "LOG_LEVEL", "SITEURL", "HOSTS", "MAIL_FROM"}
    assert all(sentence.endswith((".", "?")) for sentence in sentences)


@pytest.mark.deep
def test_gunicorn_says_them_without_a_traceback():
    command = [sys.executable, "-m", "gunicorn", "--config", "python:config.gunicorn", "config.asgi"]
    variables = {"PATH": os.environ["PATH"], "PROFILE": "production"}
    run = subprocess.run(command, check=False, cwd=BASE_DIR, env=variables, capture_output=True, text=True, timeout=240)
    assert run.returncode == 1
    assert "Plenum cannot start.\nDATA_DIR must be set in production.\n" in run.stderr
    assert "Traceback" not in run.stderr


# --- one list of settings ---


def test_the_list_of_settings_has_all_that_are_read():
    read = re.findall(r"environment\.\w+\(\s*\"([A-Z_]+)\"", (BASE_DIR / "config" / "settings.py").read_text())
    assert set(NAMES) == set(read)


# --- whose site it is ---


def test_where_a_site_in_production_lives_no_profile_is_guessed(tmp_path):
    place = tmp_path / "environment"
    assert Environment({}).profile("PROFILE", place) == "local"
    place.write_text("")
    guessing, told = Environment({}), Environment({"PROFILE": "local"})
    guessing.profile("PROFILE", place)
    assert "Its commands are run as: plenum COMMAND." in guessing.mistakes[0]
    assert (told.profile("PROFILE", place), told.mistakes) == ("local", [])


def test_a_start_that_is_refused_makes_no_secret(tmp_path):
    assert find_errors({"PROFILE": "local", "DATA_DIR": str(tmp_path / "new"), "PORT": "many"})
    assert not (tmp_path / "new").exists()


def test_several_mistakes_are_told_at_once():
    environment = Environment({"A": "x", "B": "maybe"})
    environment.number("A", 1, 1, 9)
    environment.switch("B")
    assert len(environment.mistakes) == 2


def test_an_empty_variable_counts_as_not_set():
    assert Environment({"A": ""}).text("A", "default") == "default"


@pytest.mark.deep
def test_a_local_site_makes_its_own_secret_once(tmp_path):
    words = "from config import settings; print(settings.SECRET_KEY)"
    environment = {"PATH": os.environ["PATH"], "PROFILE": "local", "DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-c", words]
    once, again = (
        subprocess.run(command, check=True, cwd=BASE_DIR, env=environment, capture_output=True, text=True, timeout=240)
        for _ in range(2)
    )
    secret = tmp_path / "secret_key"
    assert len(secret.read_text()) > 50
    assert once.stdout.strip() == again.stdout.strip() == secret.read_text().strip()
    assert secret.stat().st_mode & 0o777 == 0o600


@pytest.mark.deep
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
        ("sqlite:////srv/plenum.sqlite3", "should look like sqlite:///folder/plenum.sqlite3, with three slashes"),
        ("dynamodb://", "should look like dynamodb://eu-central-1"),
        ("dynamodb://eu-central-1?prefx=a", "should look like dynamodb://eu-central-1"),
        ("chaos+sqlite:///here", "must start with sqlite:/// or dynamodb://"),
    ],
)
def test_a_wrong_store_url_says_how_one_looks(tmp_path, url, sentence):
    assert sentence in find_errors({"PROFILE": "local", "DATA_DIR": str(tmp_path), "STORE_URL": url})


@pytest.mark.deep
def test_a_command_says_it_and_no_more(tmp_path):
    run = manage("create_tables", DATA_DIR=str(tmp_path), STORE_URL="postgres://here")
    assert run.returncode == 1
    assert "must start with sqlite:/// or dynamodb://" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.deep
def test_an_unreachable_store_is_a_sentence(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    run = manage("seal", DATA_DIR=str(tmp_path), STORE_URL=f"dynamodb://eu-central-1?endpoint=http://127.0.0.1:{port}")
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    assert f"127.0.0.1:{port}" in run.stderr


@pytest.mark.deep
def test_a_store_that_was_never_created_says_what_to_do(tmp_path):
    run = manage("seal", DATA_DIR=str(tmp_path))
    assert run.returncode == 1
    assert "run: python manage.py create_tables" in run.stderr


def test_nothing_but_the_settings_reads_the_environment():
    for folder in ("config", "store"):
        for path in Path(BASE_DIR, folder).rglob("*.py"):
            if path.name not in ("settings.py", "environment_file.py", "wsgi.py", "gunicorn.py", "metrics.py"):
                assert "os.environ" not in path.read_text(), f"{path} reads the environment"
