"""Polling stations in the table, and the writes about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from django.utils.crypto import constant_time_compare, salted_hmac

from elections import repository as elections
from elections.rules import State
from foundation.acts.storage import table
from foundation.acts.tokens import create_token, read_token
from foundation.ranking.codes import code_of, code_symbols
from foundation.store import keys
from foundation.store.parallel import run_parallel
from foundation.store.table import Condition, Delete, Equals, Exists, Item, Key, Missing, Put, Update

from .rules import Station, Visit

MAX_COUNTED_ELECTIONS = 25
CODE_GROUPS = 3  # sixty bits: a code cannot be guessed, and is used once
CODE_SECONDS = 30 * 24 * 3600
FIXED = ("election_name", "id", "name", "opened_at")
VISIT = ("visit", "visitor", "since", "picked")  # attributes of a station while somebody is in its booth


def find(election_name: str, station_id: str) -> Station | None:
    item = table().get(keys.station(election_name, station_id))
    return station_of(item) if item else None


def count_open() -> int:
    """Of the newest elections that are open."""
    newest, _cursor = elections.list_elections(state=State.OPEN, limit=MAX_COUNTED_ELECTIONS)
    return sum(len(found) for found in run_parallel(table(), *(partial(every, each.name) for each in newest)))


def every(election_name: str) -> list[Station]:
    """In the order in which they were opened."""
    return sorted(map(station_of, table().each(keys.stations(election_name))), key=lambda each: each.opened_at)


def station_of(item: Item) -> Station:
    visit = Visit(item["visit"], item["visitor"], item["since"], item.get("picked", False)) if "visit" in item else None
    turn, paired, device = item.get("turn", 1), item.get("paired", 0), item.get("device", "")
    fixed = {name: item[name] for name in FIXED}
    return Station(**fixed, turn=turn, paired=paired, device=device, visit=visit)


def place(station: Station) -> Key:
    return keys.station(station.election_name, station.id)


# --- the code that pairs a browser ---


def code_for(station: Station) -> str:
    """Not stored, but derived from the site's key; it opens only as long as its hash is stored."""
    about = f"{station.election_name}\n{station.id}\n{station.opened_at}\n{station.turn}"
    return code_of(salted_hmac("ballots.station", about, algorithm="sha256").digest(), CODE_GROUPS)


def find_by_code(typed: str) -> Station | None:
    """The station that waits for this code, however it was typed."""
    at = _code_place(typed)
    lead = table().get(at)
    station = find(lead["election_name"], lead["station_id"]) if lead else None
    return station if station and station.has_code and _code_place(code_for(station)) == at else None


def _code_place(typed: str) -> Key:
    mark = salted_hmac("ballots.station.pairing", code_symbols(typed), algorithm="sha256")
    return keys.station_code(mark.hexdigest())


def is_code_of_device(station: Station, typed: str) -> bool:
    """Whether the browser in the booth was paired with this code."""
    used = replace(station, turn=station.paired)
    return constant_time_compare(_code_place(typed).pk, _code_place(code_for(used)).pk)


def storing_code(station: Station, now: float) -> Put:
    lead = {"election_name": station.election_name, "station_id": station.id, "ttl": int(now) + CODE_SECONDS}
    return Put({**_code_place(code_for(station)).item, **lead})


def dropping_code(station: Station) -> Delete:
    return Delete(_code_place(code_for(station)))


# --- opening, pairing, closing ---


def opening(station: Station) -> Put:
    return Put({**place(station).item, **{name: getattr(station, name) for name in FIXED}}, when=Missing())


def closing(station: Station) -> Delete:
    return Delete(place(station), when=Exists() & if_unchanged(station))


def changing(station: Station, *, remove: Iterable[str] = (), **fields: Any) -> Update:
    """Refused if anything has changed since it was read."""
    return Update(place(station), set=fields, remove=tuple(remove), when=Exists() & if_unchanged(station))


def if_unchanged(station: Station) -> Condition:
    """That it has the same device and code, and the same visit or none, as when it was read."""
    device = Equals("device", station.device) if station.device else Missing("device")
    turn = Equals("turn", station.turn) if station.turn > 1 else Missing("turn")
    visit = Equals("visit", station.visit.hash) if station.visit else Missing("visit")
    return device & turn & visit


# --- a visit ---


def sealed_visitor(voter: str, secret: str = "", address: str = "", label: str = "") -> str:
    """Encrypted, so that neither a backup nor an auditor reads who is in the booth."""
    return create_token("station visitor", voter, secret, address, label)


def visitor_of(visit: Visit) -> tuple[str, str, str, str]:
    """The voter's name on the roll and, until the visit is picked up, the secret of their link, the address of their
    account and what they are called; all empty if the site's key has changed since."""
    voter, secret, address, label = read_token("station visitor", visit.visitor, None) or ("", "", "", "")
    return voter, secret, address, label
