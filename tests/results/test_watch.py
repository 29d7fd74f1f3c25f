"""`verify.py watch`: a site that serves some clients other code is found out, and an honest one passes."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from django.conf import settings
from django.test import Client as DjangoClient

from pages import colours
from pages.site_views import colours_edition
from results.exports import verify, watch
from store import keys
from store.log import Event, EventLog
from store.log.publish import public_hash
from store.log.seal import Sealer
from store.log.seal import verify as verify_log
from store.table import LOG, Delete, Key, Put

POLICY = "; ".join(f"{name} {value}" for name, value in settings.CONTENT_SECURITY_POLICY.items())
SCRIPT, LATER, STYLE = b"const ours = 1;", b"const later = 1;", b"body { color: red }"
THEFT = b"const ours = 1; fetch('/steal')"
FILES = {"/static/js/page.1a.js": SCRIPT, "/static/js/later.2b.js": LATER, "/static/css/base.3c.css": STYLE}
EDITION = colours_edition("#0b5394")
SITE_COLOURS = f"/site/colours/{EDITION}.css"
PHONE, CURL = "iPhone", "Mozilla/5.0"  # the second is all that an unnamed program says


def tag(path: str, content: bytes) -> str:
    digest = watch.digest_of(content)
    if path.endswith(".css"):
        return f'<link rel="stylesheet" href="{path}" integrity="{digest}">'
    return f'<script src="{path}" integrity="{digest}" defer></script>'


PAGE = f"""<!doctype html><title>Votes</title>{"".join(tag(path, FILES[path]) for path in FILES if "later" not in path)}
{tag(SITE_COLOURS, colours.stylesheet("#0b5394").encode())}<a href="/help/">Help</a><a href="https://example.org/">Out</a>
<template data-script="/static/js/later.2b.js" data-integrity="{watch.digest_of(LATER)}"></template>
<script type="application/ld+json">{{}}</script>"""


def listing() -> bytes:
    named = {path.removeprefix("/static/"): watch.digest_of(content) for path, content in FILES.items()}
    return json.dumps(named).encode()


Answer = tuple[int, dict[str, str], bytes]
Lie = Callable[[str, str, Answer], Answer]  # of a path and a User-Agent: what is served in place of the honest answer


def honest(path: str) -> Answer:
    """As the site answers everybody."""
    known = {**FILES, SITE_COLOURS: colours.stylesheet("#0b5394").encode(), "/trust/code.json": listing()}
    if path in ("/", "/help/"):
        return 200, {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": POLICY}, PAGE.encode()
    return (200, {"Content-Type": "text/plain"}, known[path]) if path in known else (404, {}, b"")


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Start a site on loopback that lies like this; returns its address."""
    servers = []

    def start(lie: Lie = lambda path, agent, answer: answer) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                status, headers, content = lie(self.path, self.headers["User-Agent"], honest(self.path))
                packed = gzip.compress(content)
                self.send_response(status)
                for name, value in {**headers, "Content-Encoding": "gzip", "Content-Length": len(packed)}.items():
                    self.send_header(name, str(value))
                self.send_header("Set-Cookie", "seen=1; Path=/")
                self.end_headers()
                self.wfile.write(packed)

            def log_message(self, *words):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def serving(asked: str, agent_part: str, content: bytes | None = None, **headers: str) -> Lie:
    """Another file or page, or none, for one kind of client only."""

    def lie(path: str, agent: str, answer: Answer) -> Answer:
        if path != asked or agent_part not in agent:
            return answer
        return (404, {}, b"") if content is None else (200, answer[1] | headers, content)

    return lie


def test_an_honest_site_passes(serve, capsys):
    assert watch.main([serve(), "--once"]) == 0
    said = capsys.readouterr().out
    assert f"the digest of the list is {sha256(listing()).hexdigest()}" in said
    assert said.splitlines()[-1].startswith("YES  48 files were compared")  # 2 pages, 4 files, 6 clients


def changed_page(old: str, new: str) -> bytes:
    assert old in PAGE
    return PAGE.replace(old, new).encode()


ADDED = tag("/static/js/evil.js", THEFT)
LIES = {
    "a modified script": (serving("/static/js/page.1a.js", PHONE, THEFT), "js/page.1a.js", "is modified"),
    "a modified stylesheet": (serving("/static/css/base.3c.css", "Android", b"*{}"), "css/base.3c.css", "is modified"),
    "a script loaded later": (serving("/static/js/later.2b.js", "Googlebot", THEFT), "js/later.2b.js", "is modified"),
    "an added script": (serving("/help/", "Windows", changed_page("<title>", ADDED + "<title>")), "evil.js", "added"),
    "a foreign script": (serving("/", PHONE, (PAGE + tag("https://127.0.0.1:1/x.js", THEFT)).encode()), "x.js", ""),
    "a script of the page's own": (serving("/", PHONE, (PAGE + "<script>steal()</script>").encode()), "<script>", ""),
    "a handler": (serving("/", PHONE, (PAGE + "<p onclick='steal()'>").encode()), "handler onclick", ""),
    "a missing file": (serving("/static/js/page.1a.js", PHONE), "js/page.1a.js", "is missing"),
    "a script left out": (
        serving("/", PHONE, changed_page(tag("/static/js/page.1a.js", SCRIPT), "")),
        "page",
        "missing",
    ),
    "a tag without its digest": (
        serving("/", PHONE, changed_page(f' integrity="{watch.digest_of(SCRIPT)}"', "")),
        "page.1a.js",
        "without its digest",
    ),
    "a weaker policy": (
        serving("/", PHONE, PAGE.encode(), **{"Content-Security-Policy": POLICY.replace("'none'", "*")}),
        "no policy",
        "default-src",
    ),
    "colours that hide": (serving(SITE_COLOURS, PHONE, b"main { display: none }"), "more than colours", PHONE),
    "another list": (
        serving("/trust/code.json", PHONE, b'{"js/page.1a.js": "sha384-"}'),
        "is missing from the list",
        "",
    ),
    "no list": (serving("/trust/code.json", PHONE), "not given the list", "404"),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_only_one_kind_of_client_is_served_is_reported(serve, capsys, lie):
    lying, *words = LIES[lie]
    assert watch.main([serve(lying), "--once"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("NO ")
    assert [word for word in words if word not in last] == []


def test_the_list_is_compared_with_one_from_elsewhere(serve, capsys, tmp_path):
    released, digest = tmp_path / "code.json", sha256(listing()).hexdigest()
    released.write_bytes(listing())
    assert watch.main([serve(), "--once", "--code", str(released), "--digest", digest]) == 0
    released.write_text(json.dumps({**json.loads(listing()), "js/page.1a.js": watch.digest_of(THEFT)}))
    assert watch.main([serve(), "--once", "--code", str(released)]) == 1
    assert "js/page.1a.js is modified in the list" in capsys.readouterr().out
    assert watch.main([serve(), "--once", "--digest", "0" * 64]) == 1
    assert f"has the digest {digest}" in capsys.readouterr().out


def test_visits_come_at_random_times_within_the_hours_and_find_a_release_that_changes(serve, capsys):
    """No real time passes: the clock is the pauses that were asked for."""
    pauses: list[float] = []
    assert watch.main([serve(), "--times", "4", "--hours", "2"], pauses.append, random.Random(5)) == 0
    assert len(pauses) == 4
    assert all(pause >= 0 for pause in pauses)
    assert 0 < sum(pauses) < 2 * 3600
    assert len({round(pause) for pause in pauses}) == 4

    def later(path: str, agent: str, answer: Answer) -> Answer:
        return (200, {}, b"{}") if path == "/trust/code.json" and len(pauses) > 6 else answer

    assert watch.main([serve(later), "--times", "4"], pauses.append, random.Random(5)) == 1
    assert len(pauses) == 7, "it stops at the first difference"
    assert "is missing from the list" in capsys.readouterr().out


def test_a_site_that_cannot_be_reached_is_no_difference_and_no_success(capsys):
    assert watch.main(["http://127.0.0.1:9/", "--once"]) == 2
    assert watch.main(["http://127.0.0.1:9/", "--times", "2"], lambda seconds: None) == 2
    assert "Nothing could be checked" in capsys.readouterr().out


def test_a_list_that_cannot_be_read_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        watch.main(["http://127.0.0.1:9/", "--code", str(tmp_path / "none.json")])
    assert "none.json is not a list of files that can be read." in capsys.readouterr().err


def test_verify_runs_it_with_any_python(serve):
    command = [sys.executable, "-I", str(Path(verify.__file__)), "watch", serve(), "--once", "--pages", "1"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.splitlines()[-1][:4]) == (0, "YES "), run.stderr


# --- whether the log only grows ---


@pytest.fixture
def look(site, serve, tmp_path, capsys) -> Callable[[], tuple[int, str]]:
    """Look at the checkpoints of a real site through its API, from outside."""
    address = serve(lambda path, _agent, _answer: (lambda found: (found.status_code, {}, found.content))(get(path)))
    state = tmp_path / "state.json"

    def get(path: str):
        return DjangoClient().get(path)

    def look_once() -> tuple[int, str]:
        status = watch.main(["checkpoints", address, "--state", str(state)])
        return status, capsys.readouterr().out

    return look_once


def grow(site) -> None:
    """Three events, of which the last is public at once."""
    for event_type in ("ThingMade", "ThingChanged", "ElectionClosed"):
        EventLog(site).record(Event("ada", event_type))
    Sealer(site).seal()


def forge(site, number: int, *, keep_public: bool) -> None:
    """History anew, with the store's own code: an event says something else, and the chain follows it."""
    event = EventLog(site).find(number)
    site.write(Put({**event, "actor": "mallory"}, table=LOG))
    spans = [keys.checkpoints()] if keep_public else [keys.checkpoints(), keys.public_checkpoints()]
    for point in [each for span in spans for each in site.each(span)]:
        site.write(Delete(Key(point["PK"], point["SK"], LOG)))
    site.write(Delete(keys.SYNC), *([] if keep_public else [Delete(keys.PUBLISHING)]))
    Sealer(site).seal()


def test_a_log_that_grows_passes_each_look(site, look):
    assert look() == (2, "??   No checkpoint is public yet.\n")
    grow(site)
    newest = EventLog(site).newest_public()
    first, again = look(), look()
    assert first[0] == again[0] == 0
    named = f"checkpoint 3:{newest['hash']}, sealed by {newest['sealed_by']}."
    assert first[1] == f"YES  This is the first look; {named}\n"
    assert again[1] == f"YES  Everything since event 3 continues what was there; {named}\n"
    grow(site)
    grow(site)
    status, said = look()
    assert (status, said[:66]) == (0, "YES  Everything since event 3 continues what was there; checkpoint")
    assert "checkpoint 9:" in said


@pytest.mark.parametrize("number", [2, 5])
@pytest.mark.parametrize("keep_public", [True, False])
def test_a_history_made_anew_between_two_looks_is_noticed(site, look, number, keep_public):
    grow(site)
    grow(site)
    assert look()[0] == 0
    forge(site, number, keep_public=keep_public)
    grow(site)
    if not keep_public:
        assert verify_log(site).flaw is None, "the log alone cannot show this"
    status, said = look()
    assert (status, said[:5]) == (1, "NO   ")
    assert look() == (status, said), "and not forgotten by the next look"


def test_a_shorter_log_is_noticed(site, look):
    grow(site)
    assert look()[0] == 0
    for point in [*site.each(keys.checkpoints()), *site.each(keys.public_checkpoints())]:
        site.write(Delete(Key(point["PK"], point["SK"], LOG)))
    status, said = look()
    assert status == 1
    assert "is gone: the past was changed. Keep " in said


def test_another_time_of_a_checkpoint_is_noticed(site, look):
    grow(site)
    assert look()[0] == 0
    newest, chain = EventLog(site).newest_public(), EventLog(site).newest_checkpoint()["hash"]
    later = "2099-01-01T00:00:00Z"
    site.write(Put({**newest, "sealed_by": later, "hash": public_hash(chain, later)}, table=LOG))
    status, said = look()
    assert (status, "the past was changed" in said) == (1, True)
    site.write(Put({**newest, "sealed_by": later}, table=LOG))
    assert look()[1].startswith("NO   the digests up to event 3 do not lead to the hash of its checkpoint.")


def test_watching_the_log_refuses_what_it_cannot_use(serve, tmp_path, capsys):
    state, site = tmp_path / "state.json", serve()
    arguments = ["checkpoints", site, "--state", str(state)]
    assert watch.main(arguments) == 2, "a site without checkpoints"
    assert watch.main(["checkpoints", "http://127.0.0.1:9/", "--state", str(state)]) == 2
    assert not state.exists()
    for content, said in (("{", "cannot be read"), ('{"site": "https://other/", "checkpoint": null}', "is about")):
        state.write_text(content)
        with pytest.raises(SystemExit):
            watch.main(arguments)
        assert said in capsys.readouterr().err
    state.unlink()
    strange = ["checkpoints", serve(lambda *_: (200, {}, b"[]")), "--state", str(state)]
    assert watch.main(strange) == 2
    assert "not what a site answers (status 200)" in capsys.readouterr().out
    nonsense = (
        b'{"items": [{"number": 1}], "first": 1, "number": 1, "hash": "", "sealed_by": "", "previous": 5, "digests": 1}'
    )
    assert watch.main(["checkpoints", serve(lambda *_: (200, {}, nonsense)), "--state", str(state)]) == 2
    assert "answers with something else than checkpoints." in capsys.readouterr().out
    assert not state.exists()
