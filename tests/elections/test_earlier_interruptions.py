"""Interruptions that an earlier version put on record: in the history, in replay, and proved by the bundle."""

from __future__ import annotations

import json
from dataclasses import replace

from ballots.sealing import seal_closed
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts.storage import log
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Update
from operations.upkeep import replay
from operations.upkeep.figures import site_sealer
from tests.clock import stands_at
from tests.results.test_bundle import unpacked, verdict  # noqa: F401 - a fixture

END, LATER = "2094-03-01T17:00:00.000Z", "2094-03-01T18:00:00.000Z"
ENTRY = {
    **{"number": 1, "began": "2094-03-01T10:00:00.000Z", "ended": "2094-03-01T10:45:00.000Z"},
    **{"happened": "The power failed.", "decided": "An hour more.", "recorded_at": "2094-03-01T12:00:00.000Z"},
}


def test_they_are_shown_replayed_and_verified(site, person, signed_in, monkeypatch, verdict):  # noqa: F811
    stands_at(monkeypatch, "2094-03-01T08:00:00.000Z")
    ada = person("Ada")
    draft = drafts.create(ada, "Board", no_voting_after=END)
    add_candidates(ada, draft, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, draft, ["Ada"])
    board = lifecycle.open_(ada, repository.find("Board"))
    stands_at(monkeypatch, ENTRY["recorded_at"])
    entry = ENTRY | {"new_end": LATER}
    after = replace(board, no_voting_after=LATER)
    event = Event("Ada", "InterruptionRecorded", {"election_name": "Board", **entry})
    log().record(event, *repository.change(board, after))
    site.write(Update(keys.election("Board"), set={"interruptions": [entry]}))
    history = signed_in(ada).get("/election/Board/history/").content.decode()
    assert "Ada recorded that voting was interrupted" in history
    assert "What was decided: An hour more." in history
    stands_at(monkeypatch, "2094-03-01T17:30:00.000Z")
    closing.close(ada, repository.find("Board"))
    seal_closed()
    site_sealer().seal()
    assert replay.check(site).first == ()
    files = unpacked()
    code, text = verdict(files)
    assert (code, "interruptions on record: 1" in text) == (0, True), text
    rules = json.loads(files["rules.json"])
    of_then = files | {"rules.json": json.dumps(rules | {"interruptions": [entry]}).encode()}
    assert verdict(of_then)[0] == 0, "of a bundle of that version"
    forged = files | {"rules.json": json.dumps(rules | {"interruptions": [entry | {"happened": "Nothing."}]}).encode()}
    code, text = verdict(forged)
    assert (code, "does not say of interruptions" in text) == (1, True)
