"""Pictures are made in a process of their own, which ends with its memory, its time or whoever asked for it."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import threading

import pytest

from foundation.photos import changing, child, photos
from foundation.photos.photos import NoPicture
from tests.rows import every_row

from . import drawing
from .drawing import encoded, upright

MB = 1024**2
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how large a process is, and ends it so")


def program(text: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-c", text)


def test_a_picture_in_all_its_widths(settings):
    found = changing.encoded(encoded(upright(700, 500)), "Four colours")
    assert found.photo.widths == (160, 640, 700)
    assert (found.photo.wide, found.photo.high, found.photo.alt, found.photo.kind) == (700, 500, "Four colours", "jpg")
    assert re.fullmatch("[0-9a-f]{32}", found.photo.id)
    assert photos.photo_of(found.photo.as_item()) == found.photo
    assert photos.photo_of(None) is None


def peak_of(raw: bytes) -> tuple[int, bytes]:
    """The child's largest size in memory, in bytes, as it saw it last itself; and what it said."""
    told = f"import runpy, sys; sys.argv = [{child.__file__!r}]; runpy.run_path(sys.argv[0], run_name='__main__')"
    status = "; sys.stderr.write(status.read())"
    text = f"status = open('/proc/self/status'); {told}{status}"
    done = subprocess.run(program(text), input=raw, capture_output=True, timeout=240, check=True)
    found = re.search(rb"VmHWM:\s*(\d+) kB", done.stderr)
    return int(found[1]) * 1024 if found else 0, done.stdout


@pytest.mark.deep
@on_linux
@pytest.mark.parametrize(
    ("draw", "why", "most"),
    [
        (lambda: drawing.png(2**30, 2**30, bytes(100)), b"pixels", 80 * MB),
        (lambda: drawing.webp_head(16_384, 16_384), b"pixels", 80 * MB),
        (drawing.text_bomb, b"broken", 80 * MB),
    ],
    ids=["png", "webp", "text"],
)
def test_bombs_are_refused_in_little_memory(draw, why, most):
    peak, said = peak_of(draw())
    assert said == b'{"refused": "%s"}\n' % why
    assert 0 < peak < most < child.MAX_MEMORY_MB * MB


@pytest.mark.deep
@on_linux
def test_what_takes_more_memory_than_there_is_gets_a_sentence():
    """The kernel keeps the limit: here it leaves no room for a picture that is allowed otherwise."""
    starved = program(
        f"import resource, sys; sys.path.insert(0, {os.path.dirname(child.__file__)!r}); import child\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "child.MAX_MEMORY_MB = size // 1024**2 + 30; child.main()"
    )
    with pytest.raises(NoPicture, match="needs too much memory"):
        changing.read(changing.run_child(drawing.png_bomb(4000, 3000), starved), "It", "id")


@every_row(
    ("text", "sentence"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "took too long"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGXCPU)", "took too long"),
        ("raise SystemExit(1)", "is damaged"),
        ("import sys; sys.stdin.buffer.read(); print('not JSON')", "is damaged"),
        ("import sys; sys.stdout.buffer.write(b'{}\\n' + bytes(3_000_000))", "is damaged"),
        ("import sys\nwhile True: sys.stdout.buffer.write(bytes(1_000_000))", "is damaged"),
        ('print(\'{"kind": "html", "pictures": [{"wide": 1, "high": 1, "bytes": 1}]}\\nx\', end="")', "is damaged"),
        ('print(\'{"kind": "jpg", "pictures": [{"wide": 9999, "high": 1, "bytes": 1}]}\\nx\', end="")', "is damaged"),
        ('print(\'{"kind": "jpg", "pictures": [{"wide": 9, "high": 1, "bytes": 5}]}\\nx\', end="")', "is damaged"),
        ('print(\'{"refused": "a word nobody knows"}\')', "is damaged"),
        ("print('[]')", "is damaged"),
    ],
)
def test_a_process_that_dies_or_lies_is_not_believed(text, sentence):
    with pytest.raises(NoPicture, match=sentence):
        changing.read(changing.run_child(bytes(1000), program(text)), "It", "id")


def test_a_process_that_never_ends_is_ended_whether_it_reads_or_not():
    for text in ("import time; time.sleep(600)", "import sys, time; sys.stdin.buffer.read(); time.sleep(600)"):
        with pytest.raises(NoPicture, match="took too long"):
            changing.run_child(bytes(300_000), program(text), seconds=0.3)


def test_what_it_started_ends_with_it():
    """It leaves somebody behind who holds the pipe; nobody waits for that one."""
    text = "import os, time\nif os.fork():\n    os._exit(0)\ntime.sleep(600)"
    with pytest.raises(NoPicture):
        changing.run_child(b"", program(text), seconds=0.3)


def test_it_opens_no_file_starts_nothing_and_knows_no_secret(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "nobody else's")
    text = (
        f"import os, sys; sys.path.insert(0, {os.path.dirname(child.__file__)!r}); import child; child.limit()\n"
        "said = [str('SECRET_KEY' in os.environ)]\n"
        "try: open('/etc/passwd'); said.append('open')\n"
        "except OSError: said.append('no file')\n"
        "import resource; said.append(str(resource.getrlimit(resource.RLIMIT_CORE)[0]))\n"
        "sys.stdout.write(' '.join(said) + '\\n')"
    )
    assert changing.run_child(b"", program(text)) == b"False no file 0\n"


@on_linux
def test_it_dies_with_whoever_asked_for_it(tmp_path):
    """The one in between is killed while the child waits for the rest of the picture."""
    between = (
        "import subprocess, sys\n"
        f"made = subprocess.Popen([sys.executable, '-I', {child.__file__!r}], stdin=subprocess.PIPE)\n"
        "print(made.pid, flush=True)\n"
        "sys.stdin.read()"
    )
    parent = subprocess.Popen(program(between), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    pid = int(parent.stdout.readline())
    watched = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(watched, 0)
        parent.kill()
        parent.wait()
        ended = select.poll()  # `select` itself knows no numbers beyond a thousand, and many tests leave files open
        ended.register(watched, select.POLLIN)
        assert ended.poll(30_000), "it is still there"
    finally:
        os.close(watched)
        parent.stdin.close()
        parent.stdout.close()


def test_too_large_a_file_is_not_even_begun(monkeypatch):
    monkeypatch.setattr(changing, "run_child", lambda *_: pytest.fail("it was begun"))
    with pytest.raises(NoPicture, match="up to 8 MB"):
        changing.encoded(bytes(child.MAX_UPLOAD_BYTES + 1), "It")


def test_two_at_once_and_whoever_waits_in_vain_is_told_so(monkeypatch):
    monkeypatch.setattr(changing, "MAX_QUEUE_SECONDS", 0.01)
    going_on, hold = threading.Semaphore(0), threading.Event()

    def run_child(raw: bytes) -> bytes:
        going_on.release()
        hold.wait()
        return child.answer(raw)

    monkeypatch.setattr(changing, "run_child", run_child)
    raw = encoded(upright())
    threads = [threading.Thread(target=changing.encoded, args=(raw, "It")) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _thread in threads:
        going_on.acquire()
    try:
        with pytest.raises(NoPicture, match="Other people are adding pictures"):
            changing.encoded(raw, "It")
    finally:
        hold.set()
        for thread in threads:
            thread.join()
    assert changing.encoded(raw, "It").photo.kind == "jpg"


def test_a_machine_without_room_for_another_process_says_that_it_is_busy(monkeypatch):
    def refuse(*_arguments, **_options):
        raise BlockingIOError("fork")

    monkeypatch.setattr(changing.subprocess, "Popen", refuse)
    with pytest.raises(NoPicture, match="Please try again in a moment"):
        changing.encoded(encoded(upright()), "It")
