"""Part `sealing`: from the embedded store to a sealed result, beside reading the bytes alone, and the page about it.

Each step runs in a process of its own, `python -m bench.sealing STEP FOLDER ...`, so that its memory is its own.
"""

from __future__ import annotations

import json
import os
import resource
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from store import keys
from store.limits import PAGE_BYTES
from store.table import Put, Update
from tally import methods

from .people import milliseconds, start_django, trips_of
from .report import MILLISECONDS, Report
from .rounds import Comparison, compare

if TYPE_CHECKING:  # importing these needs Django to be set up, which each step does when it runs
    from elections.rules import Election

ROOT = Path(__file__).parent.parent
NAME, OTHERS, OWNER, PASSWORD = "Board", "Another", "Owner", "a password of the bench"
ALONE = 300  # casts by which somebody's pace is known before anything is beside them
PAGE = f"/election/{NAME}/results/"
BALLOTS, FEW = 100_000, 10  # `make bench PART=sealing BALLOTS=1000000` for more
CANDIDATES = int(os.environ.get("CANDIDATES", "10"))
A_WRITE = 100  # items of one transaction, at most
ROUNDS = 3
AT_MOST = 3  # times what it takes to read the bytes
MEMORY_GOAL = 300  # megabytes, with a million ballots
STEPS = {
    "reading": "reading the items",
    "counting": "reading and counting rankings",
    "schulze": "Schulze of what was counted",
    "writing": "writing the result",
}

WHOLE = {
    "seconds": ("all of it", "s"),
    "processor": ("  processor time of this", "s"),
    "before": ("memory of the process before", "MB"),
    "published": ("peak until all are published", "MB"),
    "memory": ("peak until the box is empty", "MB"),
    "longest": ("longest cast of somebody else", "s"),
}


def measure(report: Report, scale: float = 1.0) -> None:
    ballots = max(200, int(int(os.environ.get("BALLOTS", BALLOTS)) * scale))
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as folder:
        for kind in ("public", "secret"):
            _step("fill", folder, kind, ballots)
            _say(report, kind, ballots, _step("count", folder, kind))
        _step("fill", folder, "whole", ballots)
        _say_whole(report, ballots, _step("seal", folder, "whole"))
        _step("fill", folder, "few", FEW)
        _step("count", folder, "few")
        _say_pages(report, ballots, _step("show", folder))


def _step(*words: object) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.sealing", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def _say(report: Report, kind: str, ballots: int, found: dict[str, Any]) -> None:
    report.heading(f"{ballots:,} {kind} ballots: from the store to a sealed Schulze result", "bytes")
    label, key = f"{kind}, beside reading the bytes", kind
    report.compare(key, label, _comparison(found), MILLISECONDS, peer="bytes", at_least=1 / AT_MOST)
    report.fact(f"{key}.distinct", found["distinct"])
    for step, words in STEPS.items():
        report.figure(f"{key}.{step}.milliseconds", f"  {words}", found[step], "ms")
    peak = f"peak memory, of {MEMORY_GOAL} for 1,000,000"
    report.figure(f"{key}.memory.megabytes", peak, found["memory"], "MB (the whole process)")
    report.figure(f"{key}.sealing.seconds", "all methods, how close, sealed", found["sealing"], "s")
    report.figure(f"{key}.sealing.processor.seconds", "  processor time of this", found["sealing_processor"], "s")
    report.figure(f"{key}.sealing.memory.megabytes", "  peak memory of this", found["sealing_memory"], "MB")


def _say_whole(report: Report, ballots: int, found: dict[str, Any]) -> None:
    report.heading(f"{ballots:,} secret ballots: published, counted, sealed, and the box emptied", "alone")
    for step, (words, unit) in WHOLE.items():
        report.figure(f"whole.{step}", words, found[step], unit)
    beside = Comparison((found["beside"],), (found["alone"],))
    report.compare("whole.others", "casts of somebody else, beside it and alone", beside, peer="alone")


def _say_pages(report: Report, ballots: int, found: dict[str, Any]) -> None:
    report.heading(f"The results page of {ballots:,} ballots, and of {FEW}", f"of {FEW}")
    for size in ("many", "few"):
        report.figure(f"page.{size}.trips", f"round trips, {size}", found["trips"][size], "")
    report.fact("page.trips_grow", found["trips"]["many"] > found["trips"]["few"])
    report.compare("page", "page", _comparison(found), MILLISECONDS, peer=f"of_{FEW}", at_least=0.7)


def _comparison(found: dict[str, Any]) -> Comparison:
    return Comparison(tuple(found["ours"]), tuple(found["theirs"]))


# --- steps, each in its own process ---


def fill(folder: str, kind: str, ballots: str) -> dict[str, Any]:
    """A closed election with so many ballots, written straight through the port."""
    from accounts import services as accounts
    from acts.site import table
    from elections import places, services
    from ranking.candidates import Candidate
    from store.log import as_text, utc_now

    from .tally import realistic

    table().create()
    owner, now = accounts.make_owner(OWNER, "owner@example.org", PASSWORD), as_text(utc_now())
    assert owner is not None
    services.create(owner, NAME, secret_ballot=kind != "public")
    services.add_candidates(owner, _found(), [Candidate(f"Candidate {n}") for n in range(CANDIDATES)])
    services.add_voters(owner, _found(), [OWNER])
    services.open_(owner, _found(), editable=False)
    _open_another(owner)
    writes = [_ballot(number, ranking, kind, now) for number, ranking in enumerate(realistic(CANDIDATES, int(ballots)))]
    for start in range(0, len(writes), A_WRITE):
        table().write(*writes[start : start + A_WRITE])
    table().write(Update(places.gates_of(NAME).keys(NAME)[0], add={"voted": len(writes)}))
    services.close(owner, _found())
    return {}


def _open_another(owner: Any) -> None:
    """In which others vote meanwhile."""
    from elections import repository, services
    from ranking.candidates import Candidate

    other = services.create(owner, OTHERS)
    services.add_candidates(owner, other, [Candidate("One"), Candidate("Two")])
    services.add_voters(owner, repository.find(OTHERS) or other, [OWNER])
    services.open_(owner, repository.find(OTHERS) or other, editable=False)


def _found() -> Election:
    """As it stands by now."""
    from elections import repository

    election = repository.find(NAME)
    assert election is not None
    return election


def _ballot(number: int, ranking: str, kind: str, now: str) -> Put:
    """As a cast leaves it; pseudonyms come in their order, because a file is filled faster so."""
    from ballots.secrecy import new_confirmation

    voter = f"Voter {number:07}" if kind == "public" else f"{number:08x}{secrets.token_hex(28)}"
    place = keys.ballot(NAME, voter)
    named = {"voter_name": voter, "when_cast": now, "entity_type": "BALLOT"} if kind == "public" else {}
    fields = {"rankings": ranking, "confirmation": new_confirmation()}
    return Put({"PK": place.pk, "SK": place.sk, **fields, **named})


def count(folder: str, kind: str) -> dict[str, Any]:
    """Count by Schulze and by everything, beside reading the bytes; the result is sealed in the end."""
    from acts.site import table
    from ballots import repository
    from results import services
    from results.repository import write_parts

    def sealed() -> None:
        counted = repository.counted(NAME).normal
        write_parts(NAME, methods.count(counted, "schulze").as_json(), counted)

    beside = compare(_cpu(sealed), _cpu(lambda: read_bytes(_path(folder, kind))), ROUNDS)
    memory, counted = peak_memory(), repository.counted(NAME).normal
    result = methods.count(counted, "schulze")
    found = {
        "ours": beside.our_rounds,
        "theirs": beside.their_rounds,
        "memory": memory,
        "distinct": len(counted.counts),
        "reading": _cpu(lambda: sum(1 for _ in table().each(*keys.ballots(NAME))))(),
        "counting": _cpu(lambda: repository.counted(NAME))(),
        "schulze": _cpu(lambda: methods.count(type(counted)(counted.candidates, dict(counted.counts)), "schulze"))(),
        "writing": _cpu(lambda: write_parts(NAME, result.as_json(), counted))(),
    }
    start, busy = perf_counter(), process_time()
    services.seal_result(_found())
    took = {"sealing": perf_counter() - start, "sealing_processor": process_time() - busy}
    return found | took | {"sealing_memory": peak_memory()}


def seal(folder: str, kind: str) -> dict[str, Any]:
    """All that the worker does of a closed election, from publishing to an empty box; others vote beside it."""
    from ballots import services
    from ballots.services.sealing import COUNTING

    took, steps = {"before": peak_memory()}, COUNTING.steps
    COUNTING.steps = (lambda election, counts: took.update(published=peak_memory()), *steps)
    with _others(folder, kind) as others:
        start, busy = perf_counter(), _processor()
        services.seal_what_is_closed()
        took |= {"seconds": perf_counter() - start, "processor": _processor() - busy, "memory": peak_memory()}
    COUNTING.steps = steps
    return took | others


@contextmanager
def _others(folder: str, kind: str) -> Iterator[dict[str, float]]:
    """Somebody who changes a vote in another election again and again, in a process of their own: how often a second,
    alone and beside what happens inside, and the longest that it took."""
    command = [sys.executable, "-m", "bench.sealing", "vote", folder, kind]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as voter:
        assert voter.stdin is not None
        assert voter.stdout is not None
        found: dict[str, float] = {"alone": json.loads(voter.stdout.readline())["alone"]}
        try:
            yield found
        finally:
            voter.stdin.close()
            found |= json.loads(voter.stdout.readline() or "{}")


def vote(folder: str, kind: str) -> dict[str, Any]:
    """Until nobody listens any more; what comes first is how it is without anything beside it."""
    from accounts import repository as people
    from ballots import services

    person = people.find(OWNER)
    assert person is not None
    over = threading.Event()

    def once(number: int) -> float:
        start = perf_counter()
        services.cast(person, OTHERS, {str(number % 2): ["1"]}, secrets.token_hex(8))
        return perf_counter() - start

    alone = [once(number) for number in range(ALONE)]
    print(json.dumps({"alone": ALONE / sum(alone)}), flush=True)

    def listen() -> None:
        sys.stdin.read()
        over.set()

    threading.Thread(target=listen, daemon=True).start()
    took = [once(0)]
    while not over.is_set():
        took.append(once(len(took)))
    return {"beside": len(took) / sum(took), "longest": max(took)}


def show(folder: str) -> dict[str, Any]:
    """The results page of many ballots, and of few."""
    many, few = _asked(folder, "secret"), _asked(folder, "few")
    beside = compare(milliseconds(many), milliseconds(few), 3 * ROUNDS)
    trips = {"many": trips_of(many()), "few": trips_of(few())}
    return {"ours": beside.our_rounds, "theirs": beside.their_rounds, "trips": trips}


def _asked(folder: str, kind: str) -> Callable[[], Any]:
    from django.conf import settings
    from django.test import Client

    client = Client()
    url = settings.STORE_URL = f"sqlite://{_path(folder, kind)}"
    client.post("/sign-in/", {"name_or_email": OWNER, "password": PASSWORD})

    def ask() -> Any:
        settings.STORE_URL = url
        answer = client.get(PAGE)
        assert answer.status_code == 200, answer.status_code
        return answer

    return ask


def read_bytes(path: Path) -> int:
    """The bodies of the same items, page by page, and nothing made of them: the least any count has to do."""
    (span,) = keys.ballots(NAME)
    statement = "SELECT sk, body FROM vote_data WHERE pk = ? AND sk > ? AND sk < ? ORDER BY sk"
    size, last = 0, span.prefix
    connection = sqlite3.connect(path)
    while True:
        page, before = 0, size
        for sk, body in connection.execute(statement, (span.pk, last, span.prefix + "\U0010ffff")):
            last, page = sk, page + len(body)
            if page >= PAGE_BYTES:
                break
        size += page
        if size == before:
            connection.close()
            return size


def peak_memory() -> float:
    """Megabytes at the highest, of the whole process. Where the system says so of this program alone, that; the other
    figure may be that of whoever started it."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024 / 1e6


def _processor() -> float:
    """Seconds of a processor, also those of processes that we have started and that have ended."""
    return sum(os.times()[:4])


def _cpu(act: Callable[[], object]) -> Callable[[], float]:
    def turn() -> float:
        start = process_time()
        act()
        return 1000 * (process_time() - start)

    return turn


def _path(folder: str, kind: str) -> Path:
    return Path(folder).absolute() / f"{kind}.sqlite3"


def main(step: str, folder: str, *words: str) -> None:
    from django.conf import settings

    start_django(folder)
    if words:
        settings.STORE_URL = f"sqlite://{_path(folder, words[0])}"
    steps: dict[str, Callable[..., dict[str, Any]]] = {
        "fill": fill,
        "count": count,
        "show": show,
        "seal": seal,
        "vote": vote,
    }
    print(json.dumps(steps[step](folder, *words)))


if __name__ == "__main__":
    main(*sys.argv[1:])
