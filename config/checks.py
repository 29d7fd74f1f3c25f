"""Checks of settings: each problem with a value as a sentence. Pure: only the arguments are read.

No sentence repeats a value that may hold a secret: it would stand in the journal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Network, IPv6Network
from urllib.parse import SplitResult, urlsplit

MAIL_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
MIN_SECRET_CHARS = 50  # characters of a secret key
MIN_DISTINCT_CHARS = 8  # distinct characters at least; even a hexadecimal key has more
KEYBOARD_RUNS = "abcdefghijklmnopqrstuvwxyz 0123456789 qwertyuiop"
RUN_CHARS = 8  # this many in a row are no coincidence
PLACEHOLDERS = ("…", "...", "changeme", "change-me", "change_me", "example", "insecure", "python3 -c", "token_urlsafe")
# shortest name checked for near misses: shorter ones are also names of other programs
MIN_NEAR_MISS_CHARS = 6

HOST_NAME = re.compile(r"\.?[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*\.?", re.IGNORECASE)
IPV6_LITERAL = re.compile(r"\[[0-9a-f:.]+\]", re.IGNORECASE)
SENDER = re.compile(r"""[^<>"]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+|"[^"]*"\s*<[^\s<>@,;]+@[^\s<>@,;]+>""")
COMMENT = re.compile(r"\s{2,}#|\s#\s|\s#$")
QUOTED = re.compile(r"""(?s)(['"]).*\1""")
# a private key, a password in an address, or one long word such as a token
SECRET = re.compile(r"(?i)private key|://[^/]*@|^(?=.*\d)(?=.*[a-z])[\w+=~-]{20,}$")
MIN_TOKEN_CHARS = 20

# settings of earlier versions that cannot be ignored, and what to do instead
REPLACED = {  # no start with one of these in the environment
    "BACKUP_RECIPIENTS": "The program age encrypts backups now: write its keys into /etc/plenum/backup-recipients, one "
    "to a line (docs/how-to/backups.md)."
}


def quoted(text: str) -> str:
    """A wrong value, as a sentence may repeat it; of one that looks like a secret, only its beginning."""
    return f"what begins with {text[:3]!r}" if SECRET.search(text) else repr(text)


# --- addresses ---


def path_of(address: str) -> str:
    """Its path; empty if it is not an address."""
    url = _split(address)
    return url.path if url else ""


def wrong_site_url(text: str, *, production: bool) -> Iterator[str]:
    url = _split(text)
    if url is None or url.scheme not in ("http", "https") or not url.hostname or not _is_host(url.hostname):
        yield f"SITE_URL should look like https://vote.example.org, not {quoted(text)}."
        return
    if url.username is not None or url.query or url.fragment:
        yield "SITE_URL has a scheme, a host and perhaps a port and a path, and nothing else."
    if production and url.scheme != "https":
        yield "SITE_URL must start with https:// in production: nobody could sign in without HTTPS."


def wrong_hosts(names: Iterable[str], site_url: str, *, production: bool) -> Iterator[str]:
    """In production the site must also accept the host name in its own links."""
    names = list(names)
    for name in names:
        if name == "*":
            if production:
                yield "HOSTS must name hosts in production; * would let anybody choose what links point to."
        elif "://" in name or "/" in name:
            yield (
                f"HOSTS holds names such as vote.example.org, without https:// and without a path, not {quoted(name)}."
            )
        elif not IPV6_LITERAL.fullmatch(name) and ":" in name:
            yield f"HOSTS holds names without a port, and addresses of IPv6 in brackets, not {quoted(name)}."
        elif not IPV6_LITERAL.fullmatch(name) and not HOST_NAME.fullmatch(name):
            yield f"HOSTS holds names such as vote.example.org, not {quoted(name)}."
    site = _split(site_url)
    if production and names and site and site.hostname and not any(_answers(name, site.hostname) for name in names):
        yield f"HOSTS must name the host of SITE_URL, {site.hostname}."


def _answers(name: str, host: str) -> bool:
    name, host = name.lower().strip("[]"), host.lower()
    return name in ("*", host) or (name.startswith(".") and (host == name[1:] or host.endswith(name)))


def wrong_listening_address(text: str) -> Iterator[str]:
    if not _is_host(text) or text.startswith("."):
        yield f"HOST should be an address to listen at, such as 127.0.0.1, not {quoted(text)}."


def wrong_proxies(networks: Iterable[IPv4Network | IPv6Network]) -> Iterator[str]:
    if any(network.prefixlen == 0 for network in networks):
        yield "TRUSTED_PROXIES must not hold all addresses there are: anybody could say to be anywhere."


def wrong_folder(name: str, text: str) -> Iterator[str]:
    if text and not text.startswith("/"):
        yield f"{name} must start with / in production, so that it is the same for every command, not {quoted(text)}."


def _is_host(text: str) -> bool:
    return bool(HOST_NAME.fullmatch(text) or IPV6_LITERAL.fullmatch(f"[{text.strip('[]')}]"))


def _split(text: str) -> SplitResult | None:
    """The parts of an address, or `None` if it makes no sense."""
    try:
        url = urlsplit(text)
        return None if url.port == 0 or re.search(r"\s", text) else url
    except ValueError:
        return None


# --- mail ---


def wrong_mail_url(text: str) -> Iterator[str]:
    """A `#`, `/` or `?` in a password would end its part of the address."""
    if text.startswith("file:"):
        if not re.match(r"file:///[^?#]", text):
            yield "MAIL_URL should look like file:///folder for mails that are only written to files."
        return
    scheme, _, rest = text.partition("://")
    if scheme not in MAIL_PORTS or not rest:
        yield "MAIL_URL should look like smtp+tls://user:password@mail.example.org:587."
    elif "@" in rest and re.search(r"[/?#\[\]\s]", rest.rpartition("@")[0]):
        yield (
            "MAIL_URL has a character in its user name or password that ends that part of an address: write # as %23, "
            "/ as %2F, ? as %3F, [ as %5B, ] as %5D, a blank as %20, and % itself as %25."
        )
    elif not re.fullmatch(r"[^/?#]*/?", rest.rpartition("@")[2]):
        yield "MAIL_URL ends with the host and its port; there is nothing to say after them."
    elif not re.fullmatch(r"(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d*)?/?", rest.rpartition("@")[2]):
        yield "MAIL_URL should look like smtp+tls://user:password@mail.example.org:587."
    elif _split(text) is None:
        yield "MAIL_URL has a port that is none; ports are the numbers from 1 to 65535."


def wrong_sender(text: str) -> Iterator[str]:
    if text and not SENDER.fullmatch(text):
        yield f"MAIL_FROM should look like Plenum <vote@example.org>, not {quoted(text)}."


# --- secrets ---


def wrong_token(name: str, text: str) -> Iterator[str]:
    if text and len(text) < MIN_TOKEN_CHARS:
        yield f"{name} must have at least {MIN_TOKEN_CHARS} characters."


def wrong_secret(text: str) -> Iterator[str]:
    """A secret that appears in the documentation is known to every reader."""
    if len(text) < MIN_SECRET_CHARS:
        yield f"SECRET_KEY must have at least {MIN_SECRET_CHARS} characters."
        return
    runs = {KEYBOARD_RUNS[at : at + RUN_CHARS] for at in range(len(KEYBOARD_RUNS) - RUN_CHARS + 1)}
    is_known = re.search(r"\s", text) or any(words in text.lower() for words in (*PLACEHOLDERS, *runs))
    is_repeated = (text + text).find(text, 1) < len(text)
    if is_known or is_repeated or len(set(text)) < MIN_DISTINCT_CHARS:
        yield (
            "SECRET_KEY looks like an example, not like a secret. "
            "`plenum init` makes one, and so does: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )


# --- syntax of the file ---


def wrong_writing(variables: Mapping[str, str], known: Iterable[str]) -> Iterator[str]:
    """Values that systemd and containers read differently from what their author meant."""
    for name in known:
        value = variables.get(name, "").strip()
        if COMMENT.search(value):
            yield f"{name} holds a comment. systemd takes it for a part of the value: give it a line of its own."
        elif len(value) > 1 and QUOTED.fullmatch(value):
            yield f"{name} has quotation marks around it, which whatever set it did not take off: leave them out."


def removed_settings(variables: Mapping[str, str]) -> Iterator[str]:
    for name, instead in REPLACED.items():
        if variables.get(name, "").strip():
            yield f"{name} is no longer a setting. {instead}"


def near_misses(names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    """Unknown names that are one letter or an underscore away from one of ours."""
    known = list(known)
    for name in sorted(set(names) - set(known)):
        if meant := next((each for each in known if _is_near(name, each)), None):
            yield f"{name} is no setting. Did you mean {meant}?"


def _is_near(name: str, known: str) -> bool:
    if name.upper().replace("_", "") == known.replace("_", ""):
        return True
    return min(len(name), len(known)) >= MIN_NEAR_MISS_CHARS and _is_one_letter_away(name, known)


def _is_one_letter_away(name: str, known: str) -> bool:
    """One letter added, removed or replaced, or two neighbours swapped."""
    same = next((at for at, (a, b) in enumerate(zip(name, known, strict=False)) if a != b), min(len(name), len(known)))
    left, right = name[same:], known[same:]
    swapped = left[:2][::-1] == right[:2] and left[2:] == right[2:]
    return swapped or left[1:] == right[1:] or left[1:] == right or left == right[1:]
