"""The file with the identity providers: what it means, and what is said about mistakes in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from accounts.connectors.providers import Provider, is_secure, read_providers
from accounts.rules import Role
from config.settings import BASE_DIR
from tests.config.test_settings import manage

GOOD = """
[university]
kind = "oidc"
label = "Example University"
issuer = "https://login.example.org/realms/staff"
client_id = "plenum"
client_secret = "very-secret"
[university.roles]
board = "ADMIN"
staff = "USER"

[github]
kind = "github"
client_id = "plenum"
client_secret_file = "SECRET_FILE"
"""


@pytest.fixture
def read(tmp_path):
    """What is made of a text."""

    def made(text: str) -> tuple[list[Provider], list[str]]:
        (tmp_path / "secret").write_text("from-a-file\n")
        (tmp_path / "providers.toml").write_text(text.replace("SECRET_FILE", str(tmp_path / "secret")))
        return read_providers(str(tmp_path / "providers.toml"))

    return made


def test_providers_are_read_in_their_order(read):
    (university, github), mistakes = read(GOOD)
    assert mistakes == []
    assert (university.id, university.label, university.issuer) == (
        "university",
        "Example University",
        "https://login.example.org/realms/staff",
    )
    assert university.granted(("staff",)) == Role.USER
    assert university.granted(("staff", "board", "other")) == Role.ADMIN
    assert university.granted(("other",)) is None
    assert (github.label, github.issuer, github.client_secret) == ("github", "https://github.com", "from-a-file")


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('"oidc"', '"saml"', "university: kind must be one of oidc, github."),
        ("[university]", "[University]", "the name of a provider is made of small letters"),
        ("https://login", "http://login", "issuer must be an address that starts with https://"),
        ("https://login", "https://user:pass@login", "issuer must be an address"),
        ('issuer = "https://login.example.org/realms/staff"\n', "", "issuer must be an address"),
        ('client_id = "plenum"\nclient_secret = "very', 'client_secret = "very', "client_id is missing."),
        ('client_secret = "very-secret"\n', "", "either client_secret or client_secret_file is needed."),
        ('client_secret = "very-secret"', 'client_secret = "a"\nclient_secret_file = "b"', "either client_secret or"),
        ('"SECRET_FILE"', '"/nowhere"', "github: client_secret_file cannot be read or is empty."),
        ('"ADMIN"', '"AUDITOR"', "roles gives each group one of OBSERVER, VOTER, USER, ADMIN."),
        ('"ADMIN"', '"OWNER"', "roles gives each group one of"),
        ('"ADMIN"', '"NO_ACCESS"', "roles gives each group one of"),
        ("board", "[", "is not a TOML file"),
        ('label = "Example University"', 'lable = "x"', "'lable' is no word for a provider."),
        ('label = "Example University"', 'label = ""', "label has 1 to 60 characters."),
        ('label = "Example University"', "label = 7", "label is a text."),
        ('label = "Example University"', 'trust_addresses = "yes"', "trust_addresses is true or false."),
        (
            'kind = "github"',
            'kind = "oidc"\nissuer = "https://login.example.org/realms/staff"',
            "the same issuer twice",
        ),
        ("\n[university]", "x = 1\n[university]", "x: a provider is a table"),
    ],
)
def test_a_mistake_is_reported_without_the_secret(read, before, after, sentence):
    assert before in GOOD
    providers, mistakes = read(GOOD.replace(before, after, 1))
    assert providers == []
    assert sentence in " ".join(mistakes)
    assert "very-secret" not in " ".join(mistakes)


def test_a_file_that_cannot_be_read_is_reported():
    assert read_providers("/nowhere.toml") == (
        [],
        ["SIGN_IN_PROVIDERS '/nowhere.toml' cannot be read: No such file or directory."],
    )


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://127.0.0.1:8080", True),
        ("http://localhost/x", True),
        ("http://[::1]", True),
        ("https://a.example", True),
        ("http://a.example", False),
        ("http://10.0.0.1", False),
        ("http://localhost.a.example", False),
    ],
)
def test_plain_http_is_for_this_machine_only(address, expected):
    assert is_secure(address) == expected


@pytest.mark.parametrize(
    "address", ["", "https://", "ftp://a.example", "https://a.example/?x=1", "https://[", "javascript:1"]
)
def test_what_is_no_address_is_refused(address):
    assert not is_secure(address)


@pytest.mark.deep
def test_the_site_says_at_its_start_what_is_wrong(tmp_path):
    path = Path(tmp_path / "providers.toml")
    path.write_text('[x]\nkind = "saml"\nclient_secret = "very-secret"\n')
    run: subprocess.CompletedProcess = manage("check", SIGN_IN_PROVIDERS=str(path), DATA_DIR=str(tmp_path))
    assert run.returncode == 1
    assert "SIGN_IN_PROVIDERS, x: kind must be one of oidc, github." in run.stderr
    assert "very-secret" not in run.stderr


def test_the_example_in_the_guide_is_accepted(read):
    text = (BASE_DIR / "docs" / "how-to" / "single-sign-on.md").read_text()
    example = text.split("```toml\n")[1].split("```")[0] + text.split("```toml\n")[2].split("```")[0]
    lines = "\n".join(line.strip() for line in example.splitlines())
    providers, mistakes = read(lines.replace("/etc/plenum/university-secret", "SECRET_FILE"))
    assert mistakes == []
    assert [each.label for each in providers] == ["Example University"]
