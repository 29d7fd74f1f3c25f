"""How gunicorn runs the site: a few processes with threads each, quiet, and not cutting off answers when it stops."""

from __future__ import annotations

import gc
import os
import sys
import threading
from contextlib import suppress
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings  # only after the name of its module is known

from accounts import setup_link
from config.proxies import missing_proxies
from config.web.connections import room_for
from store.connect import connect
from store.formats import refusal
from store.table import StoreError
from upkeep import server as this_server
from upkeep.monitoring import shared_metrics

bind = f"[{settings.HOST}]:{settings.PORT}" if ":" in settings.HOST else f"{settings.HOST}:{settings.PORT}"
preload_app = True  # what is loaded once is shared by all processes; a new version is a new start
worker_class = "config.web.connections.Worker"  # gunicorn's ASGI worker
asgi_loop = "asyncio"
asgi_lifespan = "on"
limit_request_line = 8190  # the most there is: an election and a candidate whose names are 200 emoji each need 4,900
limit_request_fields = 64  # each of 8,190 bytes at most
worker_connections = room_for(settings.WEB_CONNECTIONS)
workers = settings.WEB_PROCESSES
graceful_timeout = 30
loglevel = "warning"
control_socket_disable = True  # signals are enough, and nothing is left in the home folder
forwarder_headers = ""  # SCRIPT_NAME and PATH_INFO come from nobody: below which path the site lies is in SITE_URL
accesslog = None  # config.middleware.request_record writes the line for a request, without names and addresses

MEMORY = "/dev/shm"  # noqa: S108 - nothing is written there but the time, into a file without a name
if os.access(MEMORY, os.W_OK):
    worker_tmp_dir = MEMORY  # gunicorn makes a file for every process: on a full disk it would end of that

# Before anything imports prometheus_client, which then shares what all processes count.
raw_env = [f"{name}={value}" for name, value in shared_metrics.environment(settings.METRICS_DIR).items()]

SWITCH_INTERVAL_SECONDS = 0.0005  # between the turns of threads
held: list[int] = []  # the lock of DATA_DIR
stopped = threading.Event()


def on_starting(server: Any) -> None:
    """Figures count from the start of the server. A store of another format is refused, and a setting that is likely to
    be missing is named; so is, on a site without an owner, the link that makes one."""
    if sentence := refusal(connect(settings.STORE_URL)):
        sys.exit(sentence)
    if sentence := missing_proxies():
        server.log.warning(sentence)
    try:
        held.append(this_server.lock_folder(settings.DATA_DIR))
    except this_server.FolderTaken as taken:
        raise RuntimeError(str(taken)) from None  # gunicorn ends with these words
    if reason := shared_metrics.problem(settings.METRICS_DIR):
        server.log.warning("METRICS_DIR %s cannot be used: %s.", settings.METRICS_DIR, reason)
    else:
        shared_metrics.clear(settings.METRICS_DIR)
    setup_link.print_link()


def when_ready(server: Any) -> None:
    """Mail, seals and background work are done beside the server, unless somebody else starts a worker."""
    from upkeep import secret_key  # which needs the application to be loaded

    with suppress(StoreError):  # a store that does not answer now is told of by whoever needs it
        secret_key.record_at_start(connect(settings.STORE_URL))
    if settings.WORKER == "beside":
        this_server.WorkerSupervisor(lambda: not stopped.is_set(), server.log.error).start_thread()


def on_exit(server: Any) -> None:
    stopped.set()  # the worker ends by itself when it has no server any more; no other is started
    shared_metrics.clear(settings.METRICS_DIR, os.getpid())


def pre_fork(server: Any, worker: Any) -> None:
    """What is loaded by now is shared by all processes as long as nobody touches it: a garbage collector that looked
    through it would make a copy of it."""
    shared_metrics.problem(settings.METRICS_DIR)  # makes it again if it is gone: systemd clears /dev/shm at a sign-out
    gc.collect()
    gc.freeze()


def post_fork(server: Any, worker: Any) -> None:
    """The lock is the server's alone: a process that outlives it must not keep the next one out. The event loop gives
    up the interpreter's lock at every call of the system, and would wait for it for five milliseconds each time while a
    thread computes: a thousand streams would hear of a change seconds later."""
    while held:
        os.close(held.pop())
    sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)


def child_exit(server: Any, worker: Any) -> None:
    from upkeep.monitoring import metrics

    metrics.forget_process(worker.pid)


def post_worker_init(worker: Any) -> None:
    """What is loaded by now stays; the garbage collector need not look through it again at every long read."""
    from upkeep.worker import heartbeats  # with all it needs, which only a process that serves has loaded

    heartbeats.watch.begin()
    gc.collect()
    gc.freeze()
