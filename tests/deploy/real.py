"""What is in deploy/, read by the programs it is for, and a site behind the real nginx and the real Caddy.

`make test-deploy` runs this; it is not part of every run, as it needs those programs.
"""

from __future__ import annotations

import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from config.settings import BASE_DIR
from tests.config.test_connections import echoing
from tests.docs.test_installing import settings_block
from tests.ports import free_port
from tests.test_deploy import DEPLOY, UNITS

NAME = "vote.example.org"
TOKEN = "for the monitor behind the proxy"
TIMEOUT_SECONDS = 60  # seconds until a server must be there
GUNICORN = ("gunicorn", "--config", "python:config.gunicorn", "config.asgi")
UNPROCESSABLE_STATUS = 422  # a form that is understood, with a wrong password in it


def run(*command: str | Path, **options) -> subprocess.CompletedProcess:
    return subprocess.run([*map(str, command)], check=False, capture_output=True, text=True, timeout=120, **options)


# --- read by what they are for ---


@pytest.mark.parametrize("unit", UNITS)
def test_systemd_says_that_a_unit_exposes_little(unit):
    said = run("systemd-analyze", "security", "--offline=true", DEPLOY / unit)
    level = re.search(r"Overall exposure level for \S+: ([\d.]+)", said.stdout)
    assert level, said.stderr
    assert float(level[1]) < 3


@pytest.mark.parametrize("unit", [path.name for path in (*DEPLOY.glob("*.service"), *DEPLOY.glob("*.socket"))])
def test_systemd_understands_a_unit(tmp_path, unit):
    """The programs it starts are not installed here, and of a unit that another names only some are there."""
    for path in [*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer"), *DEPLOY.glob("*.socket")]:
        text = re.sub(r"^(Exec\w+=)\S+", r"\1/bin/true", path.read_text(), flags=re.MULTILINE)
        (tmp_path / path.name).write_text(text)
    said = run("systemd-analyze", "verify", "--man=no", tmp_path / unit)
    assert [line for line in said.stderr.splitlines() if "plenum" in line] == []


def test_prometheus_understands_the_rules():
    said = run("promtool", "check", "rules", DEPLOY / "prometheus-rules.yml")
    assert said.returncode == 0, said.stdout + said.stderr


def test_the_alarms_fire_when_they_should_and_only_then():
    said = run("promtool", "test", "rules", "rules.yml", cwd=Path(__file__).parent)
    assert said.returncode == 0, said.stdout + said.stderr


def test_prometheus_understands_what_it_is_to_ask(tmp_path):
    shutil.copy(DEPLOY / "prometheus-rules.yml", tmp_path / "plenum-rules.yml")
    text = (DEPLOY / "prometheus.yml").read_text().replace("/etc/prometheus/plenum-token", str(tmp_path / "token"))
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "prometheus.yml").write_text(text)
    said = run("promtool", "check", "config", tmp_path / "prometheus.yml")
    assert said.returncode == 0, said.stdout + said.stderr


# --- a site behind them ---


@contextmanager
def running(*command: str | Path, port: int, **options) -> Iterator[subprocess.Popen]:
    """A server, from when it listens until it has ended."""
    process = subprocess.Popen([*map(str, command)], **options)
    try:
        until = time.monotonic() + TIMEOUT_SECONDS
        while not _listens(port):
            assert process.poll() is None, f"{command[0]} has ended"
            assert time.monotonic() < until, f"{command[0]} does not listen"
            time.sleep(0.1)
        yield process
    finally:
        process.terminate()
        process.wait(30)


def _listens(port: int) -> bool:
    with socket.socket() as asking:
        asking.settimeout(1)
        return asking.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[int]:
    """A site in production, with the settings that the guide has."""
    folder, port = tmp_path_factory.mktemp("site"), free_port()
    own = {"DATA_DIR": str(folder), "PORT": str(port), "METRICS_TOKEN": TOKEN, "MAIL_URL": f"file://{folder}/mail"}
    environment = {"PATH": os.environ["PATH"]} | settings_block() | own
    with running(sys.executable, "manage.py", "serve", port=port, cwd=BASE_DIR, env=environment):
        yield port


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> tuple[Path, Path]:
    folder, key = tmp_path_factory.mktemp("certificate"), ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)]), datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / "chain.pem").write_bytes(made.sign(key, hashes.SHA256()).public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    return folder / "chain.pem", folder / "key.pem"


@contextmanager
def nginx(server: int, chain: tuple[Path, Path], folder: Path) -> Iterator[int]:
    """Our file, with other ports, another certificate, and what Debian's nginx.conf has around it."""
    port = free_port()
    text = (DEPLOY / "nginx.conf").read_text().replace("127.0.0.1:8000", f"127.0.0.1:{server}")
    text = re.sub(r"listen (\[::\]:)?80;", "", text, count=1).replace("listen [::]:80;", f"listen {free_port()};")
    text = text.replace("listen 443 ssl http2;", f"listen {port} ssl http2;").replace("listen [::]:443 ssl http2;", "")
    text = re.sub(r"(ssl_certificate )\S+;", rf"\1{chain[0]};", text)
    text = re.sub(r"(ssl_certificate_key )\S+;", rf"\1{chain[1]};", text)
    own = "user root;\n" if os.geteuid() == 0 else ""  # another's processes could not write into our folder
    kept = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{each}_temp_path {folder}/{each};" for each in kept)
    text = text.replace("/var/log/nginx/error.log", f"{folder}/errors")
    text = text.replace("/var/log/nginx/access.log", f"{folder}/access")
    (folder / "nginx.conf").write_text(
        f"{own}daemon off; pid {folder}/pid; error_log {folder}/errors;\nevents {{}}\n"
        f"http {{ access_log {folder}/access; {paths}\n{text}\n}}\n"
    )
    asked = ("nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "errors")
    checked = run(*asked, "-t")
    assert checked.returncode == 0, checked.stderr
    with running(*asked, port=port):
        yield port


@contextmanager
def caddy(server: int, certificate: tuple[Path, Path], folder: Path) -> Iterator[int]:
    """Our file, with another port and a certificate that nobody need be asked for."""
    port = free_port()
    text = (DEPLOY / "Caddyfile").read_text()
    own = f"{{\n\tadmin off\n\tauto_https disable_redirects\n\thttp_port {free_port()}\n}}\n"
    head = "{$PLENUM_HOST:vote.example.org} {\n"
    assert head in text
    text = own + text.replace(head, f"{head}\ttls {certificate[0]} {certificate[1]}\n")
    (folder / "Caddyfile").write_text(text)
    names = {"PLENUM_HOST": f"{NAME}:{port}", "PLENUM_SERVER": f"127.0.0.1:{server}", "HOME": str(folder)}
    environment = {"PATH": os.environ["PATH"]} | names
    asked = ("--adapter", "caddyfile", "--config", folder / "Caddyfile")
    checked = run("caddy", "validate", *asked, env=environment)
    assert checked.returncode == 0, checked.stderr
    with running("caddy", "run", *asked, port=port, env=environment, stderr=subprocess.DEVNULL):
        yield port


@pytest.fixture(scope="module", params=[nginx, caddy])
def proxy(request, server, certificate, tmp_path_factory) -> Iterator[int]:
    with request.param(server, certificate, tmp_path_factory.mktemp("proxy")) as port:
        yield port


def asked(port: int, method: str, path: str, body: bytes = b"", **headers: str) -> http.client.HTTPResponse:
    """As a browser does that was sent to an unusual port; of the answer only the head is there."""
    context = ssl._create_unverified_context()  # its certificate is of our own making
    sock = context.wrap_socket(socket.create_connection(("127.0.0.1", port), 30), server_hostname=NAME)
    connection = http.client.HTTPSConnection(NAME, port)
    connection.sock = sock
    connection.request(method, path, body or None, headers)
    return connection.getresponse()


def ask(port: int, method: str, path: str, body: bytes = b"", **headers: str) -> http.client.HTTPResponse:
    answer = asked(port, method, path, body, **headers)
    answer.text = answer.read().decode(errors="replace")
    return answer


def test_a_page_comes_with_what_browsers_are_to_keep_to(proxy):
    answer = ask(proxy, "GET", "/sign-in/")
    assert answer.status == 200
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "secure" in answer.headers["Set-Cookie"].lower()


@pytest.mark.parametrize("below", ["", "/plenum"])
def test_nginx_logs_no_personal_link(server, certificate, tmp_path, below):
    """Neither when the site answers nor, in its log of errors, when nobody does."""
    with nginx(server, certificate, tmp_path) as port:
        came_from = {"Referer": "https://vote.example.org/live/1/screen/personal-link/"}
        paths = ("/vote/personal-link/", "/password/reset/Ann/personal-link/", "/doctor/personal-link/")
        for path in (*paths, "/station/pair/?code=personal-link", "/sign-in/?next=/vote/personal-link/"):
            ask(port, "GET", f"{below}{path}", **came_from)
    with nginx(free_port(), certificate, tmp_path) as port:
        assert ask(port, "GET", f"{below}/vote/personal-link/").status == 502
    logged = (tmp_path / "access").read_text() + (tmp_path / "errors").read_text()
    assert "/sign-in/" in logged
    assert "personal-link" not in logged


def test_systemd_hands_over_where_it_listens(tmp_path):
    """As a socket unit does it: the server answers at the port that it was handed, whatever its settings say."""
    with socket.create_server(("127.0.0.1", 0)) as handed:
        port = handed.getsockname()[1]
        own = {"DATA_DIR": str(tmp_path), "PORT": str(free_port()), "MAIL_URL": f"file://{tmp_path}/mail"}
        environment = {"PATH": os.environ["PATH"]} | settings_block() | own | {"WORKER": "apart"}
        assert run(sys.executable, "manage.py", "create_tables", cwd=BASE_DIR, env=environment).returncode == 0
        assert (
            run(sys.executable, "manage.py", "collectstatic", "--noinput", cwd=BASE_DIR, env=environment).returncode
            == 0
        )
        waiting = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
        waiting.request("GET", "/healthz")  # before anybody is there to answer
        become = "import os, sys; os.environ['LISTEN_PID'] = str(os.getpid()); os.dup2(int(sys.argv[1]), 3, True); "
        become += "os.execv(sys.executable, [sys.executable, '-m', *sys.argv[2:]])"
        process = subprocess.Popen(
            [sys.executable, "-c", become, str(handed.fileno()), *GUNICORN],
            pass_fds=[handed.fileno()],
            cwd=BASE_DIR,
            env=environment | {"LISTEN_FDS": "1"},
        )
        try:
            assert waiting.getresponse().status == 200
        finally:
            process.terminate()
            process.wait(30)


def signing_in(proxy: int, **more: str) -> tuple[bytes, dict[str, str]]:
    page = ask(proxy, "GET", "/sign-in/")
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)[1]
    form = {"csrfmiddlewaretoken": token, "name_or_email": "nobody", "password": "wrong", **more}
    cookie = page.headers["Set-Cookie"].partition(";")[0]
    kind = "application/x-www-form-urlencoded"
    return urlencode(form).encode(), {"Cookie": cookie, "Content-Type": kind, "Origin": f"https://{NAME}:{proxy}"}


def test_a_form_sent_from_an_unusual_port_is_taken(proxy):
    body, headers = signing_in(proxy)
    answer = ask(proxy, "POST", "/sign-in/", body, **headers)
    assert answer.status == UNPROCESSABLE_STATUS, "refused as if it came from elsewhere"


def test_a_long_list_reaches_the_site(proxy):
    """More than a megabyte, at which nginx by itself answers 413."""
    body, headers = signing_in(proxy, more="x" * 3_000_000)
    assert ask(proxy, "POST", "/sign-in/", body, **headers).status == UNPROCESSABLE_STATUS


def test_nobody_can_say_where_they_come_from(proxy, server):
    """Eleven wrong passwords, each from an address of its own making, are as many from one."""
    told = set()
    for number in range(12):
        body, headers = signing_in(proxy, name_or_email=f"somebody behind {proxy}")
        answer = ask(proxy, "POST", "/sign-in/", body, **headers, **{"X-Forwarded-For": f"192.0.2.{number}"})
        told.add("tried too often" in answer.text)
    assert told == {False, True}


def test_a_monitor_on_the_machine_asks_the_server_itself(server):
    asking = http.client.HTTPConnection("127.0.0.1", server)
    asking.request("GET", "/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    answer = asking.getresponse()
    assert (answer.status, b"plenum_store_up 1.0" in answer.read()) == (200, True)


# --- answers that stay open ---


@pytest.fixture(scope="module", params=[nginx, caddy])
def before_streams(request, certificate, tmp_path_factory) -> Iterator[int]:
    """A proxy in front of the small application that holds answers open, under the site's own server."""
    serving, echo = echoing(tmp_path_factory.mktemp("echo"))
    with serving, request.param(echo, certificate, tmp_path_factory.mktemp("proxy")) as port:
        yield port


def test_a_stream_passes_a_proxy_piece_by_piece_and_its_end_too(before_streams):
    stream = asked(before_streams, "GET", "/stream?ada", **{"Accept-Encoding": "gzip"})
    assert stream.headers["Content-Type"] == "text/event-stream"
    assert [stream.readline() for _ in range(4)] == [b"data: ada\n", b"\n", b"data: begun\n", b"\n"]
    for number in range(3):
        ask(before_streams, "POST", "/say", b"data: %d\n\n" % number)
        assert [stream.readline(), stream.readline()] == [b"data: %d\n" % number, b"\n"]
    stream.close()
    until = time.monotonic() + TIMEOUT_SECONDS
    while ask(before_streams, "POST", "/who").text != "; ada=1":
        assert time.monotonic() < until, "that the client has gone is heard behind the proxy"
        time.sleep(0.1)
