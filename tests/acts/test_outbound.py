"""Requests to addresses that people enter reach public hosts only, or what the operator allows."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from foundation.acts.outbound import OutboundError, Response, checked_url, is_public, request
from tests.receiver import LOOPBACK, Receiver, certificate, receiver

NOTHING: tuple[list[Any], list[str]] = ([], [])


@pytest.fixture
def server(settings: Any) -> Iterator[Receiver]:
    settings.OUTGOING_ALLOWED = LOOPBACK
    with receiver() as found:
        yield found


def resolving(*addresses: str) -> Callable[..., list[tuple[Any, ...]]]:
    """A name server that knows one host."""

    def resolve(_host: str, port: int, **_options: Any) -> list[tuple[Any, ...]]:
        families = {4: socket.AF_INET, 6: socket.AF_INET6}
        versions = ((families[ipaddress.ip_address(each).version], each) for each in addresses)
        return [(family, socket.SOCK_STREAM, 6, "", (each, port)) for family, each in versions]

    return resolve


def reason_for(*arguments: Any, **options: Any) -> str:
    with pytest.raises(OutboundError) as refused:
        request(*arguments, **options)
    assert str(refused.value)
    return refused.value.reason


# --- which addresses ---

NOT_PUBLIC = (
    "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.1.2.3 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 "
    "192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 "
    ":: ::1 ::127.0.0.1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 64:ff9b::808:808 64:ff9b::7f00:1 64:ff9b:1::1 100::1 "
    "2001::1 2001:db8::1 2002:7f00:1::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1"
)


@pytest.mark.parametrize("address", NOT_PUBLIC.split())
def test_no_address_that_only_this_server_can_reach(address: str, settings: Any) -> None:
    settings.OUTGOING_ALLOWED = NOTHING
    assert not is_public(ipaddress.ip_address(address))
    assert reason_for("GET", "https://hooks.example/", resolve=resolving(address)) == "not public"
    assert reason_for("GET", "https://hooks.example/", resolve=resolving("8.8.8.8", address)) == "not public"


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::1"])
def test_public_addresses(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "url"),
        ("hooks.example", "url"),
        ("https://", "url"),
        ("https:///path", "url"),
        ("https://[::1", "url"),
        ("https://hooks.example:99999/", "url"),
        ("https://hooks.example/\nHost: other", "url"),
        ("https://hooks example/", "url"),
        ("https://hooks.example/" + "x" * 2000, "url"),
        ("https://" + "x" * 70 + ".example/", "url"),
        ("http://hooks.example/", "scheme"),
        ("ftp://hooks.example/", "scheme"),
        ("file:///etc/passwd", "url"),
        ("https://ada:secret@hooks.example/", "credentials"),
        ("https://@hooks.example/", "credentials"),
        ("https://hooks.example:8443/", "port"),
        ("https://hooks.example:80/", "port"),
    ],
)
def test_urls_that_are_not_requested(url: str, reason: str, settings: Any) -> None:
    settings.OUTGOING_ALLOWED = NOTHING
    assert reason_for("GET", url, resolve=resolving("8.8.8.8")) == reason


@pytest.mark.parametrize(
    "url", ["https://hooks.example/", "https://hooks.example:443/a?b=c", "https://wähler.example/ü"]
)
def test_urls_that_are(url: str, settings: Any) -> None:
    settings.OUTGOING_ALLOWED = NOTHING
    assert checked_url(url).hostname


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "localhost"])
def test_loopback_in_any_spelling_is_refused(host: str, settings: Any) -> None:
    settings.OUTGOING_ALLOWED = NOTHING
    assert reason_for("GET", f"https://{host}/") == "not public"
    with pytest.raises(OutboundError):
        checked_url(f"https://{host}/")  # a form says so at once, not the first delivery


@pytest.mark.parametrize("host", ["intranet", "LOCALHOST.", "a.localhost", "db.internal", "nas.local", "box.home.arpa"])
def test_names_that_are_nobodys_on_the_internet_are_refused_at_once(host: str, settings: Any) -> None:
    settings.OUTGOING_ALLOWED = NOTHING
    with pytest.raises(OutboundError):
        checked_url(f"https://{host}/hook")
    settings.OUTGOING_ALLOWED = ([], [host.lower()])
    assert checked_url(f"https://{host}/hook")
    settings.OUTGOING_ALLOWED = ([ipaddress.ip_network("10.0.0.0/8")], [])
    assert checked_url(f"https://{host}/hook"), "it may be in that network"


def test_an_address_of_an_allowed_network_is_not_refused(settings: Any) -> None:
    settings.OUTGOING_ALLOWED = ([ipaddress.ip_network("10.0.0.0/8")], [])
    assert checked_url("https://10.1.2.3/hook")
    with pytest.raises(OutboundError):
        checked_url("https://192.168.1.1/hook")


def test_nobody_learns_which_names_exist_inside(settings: Any) -> None:
    """A name that nobody knows and one of our network: the same reason, and the same sentence."""
    settings.OUTGOING_ALLOWED = NOTHING

    def unknown(*_host: Any, **_options: Any) -> list[tuple[Any, ...]]:
        raise socket.gaierror

    answers = []
    for resolve in (unknown, resolving("10.0.0.1"), resolving()):
        with pytest.raises(OutboundError) as refused:
            request("GET", "https://git.example.org/", resolve=resolve)
        answers.append((refused.value.reason, str(refused.value)))
    assert len(set(answers)) == 1


def test_unusual_ports_only_where_the_network_is_allowed(server: Receiver) -> None:
    assert request("POST", server.url, b"{}").status == 200
    url = f"http://hooks.example:{server.port}/"
    assert request("POST", url, b"{}", resolve=resolving("127.0.0.1")).status == 200
    assert reason_for("POST", url, b"{}", resolve=resolving("8.8.8.8")) == "scheme"
    assert reason_for("POST", url, b"{}", resolve=resolving("10.0.0.1")) == "not public"
    assert reason_for("POST", f"https://hooks.example:{server.port}/", resolve=resolving("8.8.8.8")) == "port"


def test_a_host_can_be_allowed_by_name(server: Receiver, settings: Any) -> None:
    settings.OUTGOING_ALLOWED = ([], ["hooks.internal"])
    url = "http://%s:" + f"{server.port}/"
    assert request("GET", url % "HOOKS.internal", resolve=resolving("127.0.0.1")).status == 200
    assert reason_for("GET", url % "other.internal", resolve=resolving("127.0.0.1")) == "not public"


def test_a_name_that_is_rebound_is_refused(server: Receiver, settings: Any) -> None:
    """Every request resolves once, and connects to what it has checked."""
    settings.OUTGOING_ALLOWED = ([ipaddress.ip_network("127.0.0.1")], [])
    answers = [["127.0.0.1"], ["127.0.0.2"], ["169.254.169.254"]]
    asked = []

    def resolve(host: str, port: int, **options: Any) -> list[tuple[Any, ...]]:
        asked.append(host)
        return resolving(*answers[min(len(asked), len(answers)) - 1])(host, port)

    url = f"http://rebound.example:{server.port}/"
    assert request("GET", url, resolve=resolve).status == 200
    assert len(asked) == 1
    assert reason_for("GET", url, resolve=resolve) == "not public"
    assert reason_for("GET", url, resolve=resolve) == "not public"
    assert len(server.received) == 1


# --- the request ---


def test_what_is_sent_and_what_comes_back(server: Receiver) -> None:
    server.headers = {"ETag": "x"}
    found = request("POST", server.url + "?a=b", b"{}", {"webhook-id": "msg_1"}, max_bytes=10)
    assert (found.status, found.body, found.headers["ETag"], found.is_success) == (200, b"ok", "x", True)
    (sent,) = server.received
    assert (sent.method, sent.path, sent.body) == ("POST", "/hook?a=b", b"{}")
    assert sent.headers["webhook-id"] == "msg_1"
    assert sent.headers["Host"] == f"127.0.0.1:{server.port}"


def test_redirects_are_not_followed(server: Receiver) -> None:
    server.statuses, server.headers = [302], {"Location": server.url}
    assert request("GET", server.url).status == 302
    assert len(server.received) == 1
    assert not Response(302, b"", {}).is_success


def test_no_proxy_of_the_environment(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    assert request("GET", server.url).status == 200


def test_a_response_that_is_too_large(server: Receiver) -> None:
    server.body = b"x" * 101
    assert reason_for("GET", server.url, max_bytes=100) == "too large"
    assert request("GET", server.url).body == b""  # it is not even read


def test_nobody_answers(settings: Any) -> None:
    settings.OUTGOING_ALLOWED = LOOPBACK
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        assert reason_for("GET", f"http://127.0.0.1:{bound.getsockname()[1]}/") == "connection"


@pytest.mark.parametrize("first", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n"])
def test_a_response_that_never_ends(first: bytes, settings: Any) -> None:
    """It drips a byte at a time; the deadline is for all of it."""
    settings.OUTGOING_ALLOWED = LOOPBACK
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            peer, _address = listening.accept()
            with peer:
                peer.sendall(first)
                while not over.wait(0.01):
                    try:
                        peer.sendall(b"x")
                    except OSError:
                        return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        assert reason_for("GET", url, seconds=0.2, max_bytes=100_000) == "timeout"
        over.set()
        thread.join()


def test_not_http_at_all(settings: Any) -> None:
    settings.OUTGOING_ALLOWED = LOOPBACK
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def chat() -> None:
            peer, _address = listening.accept()
            with peer:
                peer.sendall(b"220 mail.example ESMTP\r\n")

        thread = threading.Thread(target=chat, daemon=True)
        thread.start()
        assert reason_for("GET", f"http://127.0.0.1:{listening.getsockname()[1]}/") == "connection"
        thread.join()


# --- TLS ---


def test_the_certificate_must_be_for_the_name(tmp_path: Path, settings: Any) -> None:
    tls, authority = certificate(tmp_path, "hooks.example")
    settings.OUTGOING_ALLOWED, settings.OUTGOING_CA = LOOPBACK, authority
    with receiver(tls) as server:
        url = "https://%s:" + f"{server.port}/"
        here = resolving("127.0.0.1")
        assert request("POST", url % "hooks.example", b"{}", resolve=here).status == 200
        assert reason_for("POST", url % "other.example", b"{}", resolve=here) == "certificate"
        settings.OUTGOING_CA = ""
        assert reason_for("POST", url % "hooks.example", b"{}", resolve=here) == "certificate"
        assert len(server.received) == 1
