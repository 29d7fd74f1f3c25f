"""Wraps every store of this process in faults (tests/chaos.py); `soak.py` puts this folder on the server's PYTHONPATH.

A server starts other programs, and Python imports this module in all of them before anything else.
"""

from __future__ import annotations

import os
from functools import cache
from random import Random
from urllib.parse import parse_qsl

import store.connect

from foundation.store.table import Table
from tests.chaos import Chaos

FAULTS = {name: float(value) for name, value in parse_qsl(os.environ["STORE_FAULTS"])}
_connect = store.connect.connect


@cache
def connect(url: str) -> Table:
    return Chaos(_connect(url), Random(), **FAULTS)


store.connect.connect = connect
