"""How gunicorn runs the site: a few processes with threads each, quiet, and not cutting off answers when it stops."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings  # only after the name of its module is known

from config.connections import room_for
from config.proxies import lacking
from store.connect import connect
from store.formats import refusal

bind = f"[{settings.HOST}]:{settings.PORT}" if ":" in settings.HOST else f"{settings.HOST}:{settings.PORT}"
worker_class = "config.connections.PatientWorker"
worker_connections = room_for(settings.WEB_CONNECTIONS)
workers = settings.WEB_PROCESSES
threads = settings.WEB_THREADS
graceful_timeout = 30
loglevel = "warning"
control_socket_disable = True  # signals are enough, and nothing is left in the home folder
accesslog = None  # config.middleware.request_record writes the line for a request, without names and addresses

metrics_folder = settings.DATA_DIR / "metrics"
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(metrics_folder)


def on_starting(server: Any) -> None:
    """Figures count from the start of the server. A store of another format is refused, and a setting that is likely to
    be missing is named."""
    if sentence := refusal(connect(settings.STORE_URL)):
        sys.exit(sentence)
    if sentence := lacking():
        server.log.warning(sentence)
    shutil.rmtree(metrics_folder, ignore_errors=True)
    metrics_folder.mkdir(parents=True)


def when_ready(server: Any) -> None:
    """Mail, seals and sweeps are made beside the server; the process ends when the server is gone."""
    subprocess.Popen([sys.executable, "manage.py", "worker"], cwd=settings.BASE_DIR)


def post_worker_init(worker: Any) -> None:
    """What is loaded by now stays; the garbage collector need not look through it again at every long read."""
    gc.collect()
    gc.freeze()


def child_exit(server: Any, worker: Any) -> None:
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)
