"""The commands of the ground floor."""

from __future__ import annotations

from io import StringIO
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from foundation.store import keys
from foundation.store.log import Event, EventLog
from foundation.store.table import LOG, Delete, Key, Update
from operations.upkeep.management.commands import serve


def run(*arguments, **options) -> str:
    output = StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue().strip()


def test_create_tables_may_be_run_again(site):
    EventLog(site).void(1)
    assert run("create_tables") == run("create_tables") == "The tables exist."
    assert EventLog(site).is_void(1)


@pytest.fixture
def one_event(site):
    EventLog(site).record(Event("ada", "ThingMade"))


def test_seal_and_verify(site, one_event):
    assert run("verify") == f"All events up to 0 are as sealed; chain {'0' * 64}.\n1 newer events are not sealed yet."
    assert run("seal") == "1 event numbers sealed."
    assert run("seal") == "Nothing new to seal."
    checkpoint = EventLog(site).newest_checkpoint()
    assert run("verify") == f"All events up to 1 are as sealed; chain {checkpoint['hash']}."
    assert run("verify", f"--checkpoint=1:{checkpoint['hash'].upper()}")


def test_verify_names_what_was_tampered_with(site, one_event):
    run("seal")
    (event,) = EventLog(site).since(0)
    site.write(Update(Key(event["PK"], event["SK"], LOG), set={"actor": "mallory"}))
    with pytest.raises(CommandError, match=r"Event 1 is not what was sealed\."):
        run("verify")


@pytest.mark.parametrize("text", ["1", "one:" + "0" * 64, "1:short", ":"])
def test_verify_says_how_a_checkpoint_is_written(site, text):
    with pytest.raises(CommandError, match="NUMBER:HASH"):
        run("verify", f"--checkpoint={text}")


def test_a_demo_that_cannot_be_loaded_ends_the_start(site, settings, tmp_path, monkeypatch):
    settings.DATA_DIR, settings.PORT, settings.PRODUCTION = tmp_path, 0, False
    called = []
    monkeypatch.setattr(serve, "call_command", lambda name, **options: called.append(name))
    monkeypatch.setattr(serve, "import_module", called.append)
    monkeypatch.setattr(serve, "demo_process", lambda: SimpleNamespace(start=str, join=str, exitcode=1))
    monkeypatch.setattr(serve, "become_gunicorn", lambda: called.append("gunicorn"))
    with pytest.raises(SystemExit, match="1"):
        call_command("serve", stdout=StringIO())
    assert called == ["collectstatic", "config.asgi"]


@pytest.mark.parametrize(("is_distant", "no_demo"), [(False, False), (True, False), (True, True)])
def test_the_demo_is_loaded_by_itself_only_where_a_question_is_no_journey(
    site, settings, tmp_path, monkeypatch, is_distant, no_demo
):
    """What the server does before gunicorn takes its place."""
    settings.DATA_DIR, settings.PORT, settings.PRODUCTION = tmp_path, 0, False
    called, output = [], StringIO()
    monkeypatch.setattr(type(site), "is_distant", is_distant)
    monkeypatch.setattr(serve, "call_command", lambda name, **options: called.append(name))
    monkeypatch.setattr(serve, "import_module", called.append)
    demo = SimpleNamespace(start=lambda: called.append("demo"), join=str, exitcode=0)
    monkeypatch.setattr(serve, "demo_process", lambda: demo)
    monkeypatch.setattr(serve, "become_gunicorn", lambda: called.append("gunicorn"))
    call_command("serve", no_demo=no_demo, stdout=output)
    assert ("demo" in called, called[-1]) == (not is_distant, "gunicorn")
    assert ("Sign in as one of these" in output.getvalue()) == (not is_distant)
    assert ("To load it: python manage.py demo" in output.getvalue()) == (is_distant and not no_demo)


FULL, NORMAL = 2, 1  # of SQLite


def synchronous(site) -> int:
    return site._writers.opened_writer().connection.execute("PRAGMA synchronous").fetchone()[0]


def test_what_a_first_start_loads_does_not_wait_for_the_disk(site, monkeypatch):
    modes = []
    monkeypatch.setattr(serve, "call_command", lambda name, **options: modes.append(synchronous(site)))
    monkeypatch.setattr(serve, "run_jobs", lambda jobs, leases: modes.append(synchronous(site)))
    assert synchronous(site) == FULL
    serve.load_demo()
    assert modes == [NORMAL, NORMAL]


def test_sealing_ends_with_a_sentence_where_checkpoints_were_deleted(site, one_event):
    run("seal")
    site.write(Delete(keys.checkpoint(1)))
    with pytest.raises(
        CommandError, match=r"checkpoints end at event 0: somebody has changed the store\. Nothing more"
    ):
        run("seal")
