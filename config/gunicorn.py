"""gunicorn's configuration: a few processes with threads each, quiet, and finishing responses before it stops."""

from __future__ import annotations

import gc
import os
import sys
import threading
from contextlib import suppress
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings  # only once the name of its module is set

from accounts import setup_link
from config.proxies import missing_proxies
from config.web.connections import room_for
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.formats import refusal
from foundation.store.table import Missing, StoreError
from operations.upkeep import server as this_server
from operations.upkeep import shared_metrics

bind = f"[{settings.HOST}]:{settings.PORT}" if ":" in settings.HOST else f"{settings.HOST}:{settings.PORT}"
preload_app = True  # loaded once and shared by all processes; a new version needs a restart
worker_class = "config.web.connections.Worker"  # gunicorn's ASGI worker
asgi_loop = "asyncio"
asgi_lifespan = "on"
limit_request_line = 8190  # gunicorn's maximum: an election and a candidate with names of 200 emoji each need 4,900
limit_request_fields = 64  # each at most 8,190 bytes
worker_connections = room_for(settings.WEB_CONNECTIONS)
workers = settings.WEB_PROCESSES
graceful_timeout = 30
keepalive = 125  # seconds: longer than any proxy keeps an idle connection, or a request could meet its end (deploy/)
loglevel = "warning"
control_socket_disable = True  # signals are enough, and nothing is left in the home folder
forwarder_headers = ""  # no client sets SCRIPT_NAME or PATH_INFO: the site's path is in SITE_URL
accesslog = None  # config.middleware.request_record logs requests, without names and addresses

MEMORY = "/dev/shm"  # noqa: S108 - only timestamps of an unnamed file are written there
if os.access(MEMORY, os.W_OK):
    worker_tmp_dir = MEMORY  # gunicorn creates a file per process: a full disk would make it exit

# Set before prometheus_client is imported, so that it shares the counts of all processes.
raw_env = [f"{name}={value}" for name, value in shared_metrics.environment(settings.METRICS_DIR).items()]

SWITCH_INTERVAL_SECONDS = 0.0005  # between thread switches
held: list[int] = []  # the lock on DATA_DIR
stopped = threading.Event()


def on_starting(server: Any) -> None:
    """Reset the metrics, refuse a store of another format, and warn about a setting that is probably missing.

    On a site without an owner, also print the setup link. Then mail, seals and background work run beside the server,
    unless a worker is started separately: it is forked here, where there are no sockets, signals or threads yet.
    """
    if sentence := refusal(connect(settings.STORE_URL)):
        sys.exit(sentence)
    if sentence := missing_proxies():
        server.log.warning(sentence)
    try:
        held.append(this_server.lock_folder(settings.DATA_DIR))
    except this_server.FolderTaken as taken:
        raise RuntimeError(str(taken)) from None  # gunicorn exits with this message
    if reason := shared_metrics.problem(settings.METRICS_DIR):
        server.log.warning("METRICS_DIR %s cannot be used: %s.", settings.METRICS_DIR, reason)
    else:
        shared_metrics.clear(settings.METRICS_DIR)
    setup_link.print_link()
    if settings.WORKER == "beside":
        share_memory()
        supervisor = this_server.WorkerSupervisor(lambda: not stopped.is_set(), server.log.error)
        supervisor.start_thread(this_server.fork_worker(release_lock))


def when_ready(server: Any) -> None:
    """Record the key and the scripts of pages that this server runs with."""
    from foundation.acts import key_mark
    from foundation.acts.storage import try_write
    from operations.trust.serving import record_code  # needs the application to be loaded

    with suppress(StoreError):  # a store that is down now is reported by whatever needs it
        try_write(key_mark.marking(when=Missing()))  # the first start is with the site's key
        if key_mark.is_replaced(connect(settings.STORE_URL).get(keys.KEY_MARK)):
            server.log.warning(key_mark.sentence())
        record_code()


def on_exit(server: Any) -> None:
    stopped.set()  # the worker exits by itself once its server is gone; no other is started
    shared_metrics.clear(settings.METRICS_DIR, os.getpid())


def pre_fork(server: Any, worker: Any) -> None:
    shared_metrics.problem(settings.METRICS_DIR)  # recreates it if it is gone: systemd clears /dev/shm at logout
    share_memory()


def share_memory() -> None:
    """Memory loaded so far is shared by all processes until written to, which a garbage collection would do."""
    gc.collect()
    gc.freeze()


def post_fork(server: Any, worker: Any) -> None:
    release_lock()
    # The event loop releases the GIL at every system call, and would wait five milliseconds to get it back while a
    # thread computes: a thousand streams would get a change seconds late.
    sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)


def release_lock() -> None:
    """Only the server holds the lock: a process that outlives it must not block the next one."""
    while held:
        os.close(held.pop())


def child_exit(server: Any, worker: Any) -> None:
    from operations.upkeep import metrics

    metrics.forget_process(worker.pid)


def post_worker_init(worker: Any) -> None:
    """What is loaded by now stays, so exempt it from garbage collection during long reads."""
    from operations.upkeep import heartbeats  # with its dependencies, which only serving processes load

    heartbeats.watch.begin()
    gc.collect()
    gc.freeze()
