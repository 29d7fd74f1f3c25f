"""Start the site: tables, demo, static files, server."""

import os
import runpy
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from io import StringIO
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.demo import DEMO_DOMAIN, PASSWORD, PEOPLE
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.formats import prepare
from foundation.store.sqlite import SqliteTable
from operations.upkeep import server
from operations.upkeep.commands import StoreCommand
from operations.upkeep.jobs import JOBS, Leases, run_jobs

NOT_BY_ITSELF = (
    "\n  The demo is not loaded into a distant store automatically: that takes thousands of round trips.\n"
    "  To load it: python manage.py demo\n\n"
)


class Command(StoreCommand):
    help = (
        "Creates the store, loads the demo (not into a distant store), collects static files and serves the site with "
        "gunicorn."
    )
    oldest = None

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="do not load the demo content")

    def handle(self, no_demo: bool, **options: Any) -> None:
        try:
            ours = server.lock_folder(settings.DATA_DIR)  # until gunicorn locks it again
        except server.FolderTaken as taken:
            raise CommandError(str(taken)) from taken
        _refuse_a_taken_port()
        self.table.create()
        prepare(self.table)
        is_demo = not no_demo and not settings.PRODUCTION
        loads_demo = is_demo and not self.table.is_distant
        with _demo_beside() if loads_demo else nullcontext():
            try:
                call_command("collectstatic", interactive=False, verbosity=0)
            except OSError as error:
                raise CommandError(f"DATA_DIR {settings.DATA_DIR} cannot be written: {error.strerror}.") from error
            import_module("config.asgi")  # what gunicorn will serve, with all pages
        call_command("seal", stdout=StringIO())
        self.table.close()
        self.stdout.write(f"\n  Plenum is at {settings.SITE_URL}/\n")
        if loads_demo or (is_demo and _is_demo_there()):
            lines = [f"    {name:<22}{role.name}\n" for name, role, _ in PEOPLE]
            self.stdout.write(f"\n  Sign in as one of these, with the password {PASSWORD}\n\n{''.join(lines)}\n")
        elif is_demo:
            self.stdout.write(NOT_BY_ITSELF)
        self.stdout.write("  Stop it with Ctrl+C.\n\n")
        self.stdout.flush()
        os.close(ours)
        become_gunicorn()


def become_gunicorn() -> None:
    """As `python -m gunicorn`, but in this process, which has loaded everything already."""
    sys.argv = ["gunicorn", "--config", "python:config.gunicorn", "config.asgi"]
    runpy.run_module("gunicorn", run_name="__main__", alter_sys=True)


@contextmanager
def _demo_beside() -> Iterator[None]:
    """In its own process, on another processor, and its memory is freed when it ends."""
    demo = demo_process()
    demo.start()
    try:
        yield
    finally:
        demo.join()
    if demo.exitcode:
        sys.exit(1)  # it has printed the reason


def demo_process() -> ForkProcess:
    """Forked, because everything is loaded already; there is no other thread yet."""
    return get_context("fork").Process(target=load_demo)


def load_demo() -> None:
    """Including the worker's jobs for it, such as mails, so that the worker does not keep the memory they take.

    A thousand writes do not wait for the disk, one after another: what a power cut undoes is loaded at the next start.
    """
    store = connect(settings.STORE_URL)
    if isinstance(store, SqliteTable):
        store.sync_later()
    call_command("demo", verbosity=0)
    run_jobs(JOBS, Leases(store))


def _is_demo_there() -> bool:
    """Whether it was loaded by hand."""
    found = table().get_many(keys.user(name) for name, _role, _about in PEOPLE)
    return any(item["email"].endswith(f"@{DEMO_DOMAIN}") for item in found.values())


def _refuse_a_taken_port() -> None:
    family = socket.AF_INET6 if ":" in settings.HOST else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.HOST, settings.PORT))
        except OSError as error:
            raise CommandError(
                f"Port {settings.PORT} of {settings.HOST} cannot be used ({error.strerror}). "
                f"Choose another one, for example: PORT={settings.PORT % 65535 + 1} make run"
            ) from error
