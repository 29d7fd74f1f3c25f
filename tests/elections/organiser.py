"""Processes that each act as one organiser among several: `python -m tests.elections.organiser HOW-MANY`.

Each does twelve things at random to the election "Board"; printed are those that were not refused.
"""

from __future__ import annotations

import json
import random
import sys
from functools import partial

import django

django.setup()

from accounts import repository as people  # noqa: E402 - Django has to be set up first
from elections import actions, repository  # noqa: E402
from elections.candidates import add_candidates  # noqa: E402
from elections.lifecycle import closing  # noqa: E402
from elections.lifecycle import services as lifecycle  # noqa: E402
from elections.roll.services import add_voters  # noqa: E402
from elections.rules import Action  # noqa: E402
from foundation.acts.refusals import Refusal  # noqa: E402
from foundation.ranking.candidates import Candidate  # noqa: E402
from tests.forks import in_processes  # noqa: E402


def act(number: int, step: int) -> str:
    """Do one thing; answers what it was."""
    ada, election = people.find("Ada"), repository.find("Board")
    kinds = ["voter", "cand", "text", *(["fix"] if step > 6 else []), *(["close"] if step > 9 else [])]
    kind = random.choice(kinds)
    words = f"{kind} {number} {step}"
    if kind == "voter":
        words = f"voter.{number}.{step}@example.org"
        add_voters(ada, election, [words])
    elif kind == "cand":
        add_candidates(ada, election, [Candidate(words)])
    elif kind == "text":
        actions.change(ada, election, Action.DESCRIBE, description=words)
    elif kind == "fix":
        lifecycle.fix(ada, election)
    else:
        closing.close(ada, election)
    return words


def organise(number: int) -> list[str]:
    random.seed(number)
    done = []
    for step in range(12):
        try:
            done.append(act(number, step))
        except Refusal:
            continue
    return done


if __name__ == "__main__":
    each = in_processes(lambda number: partial(organise, number), range(int(sys.argv[1])))
    print(json.dumps([words for done in each for words in done]))
