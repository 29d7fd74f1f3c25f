"""All keys, by noun: the schema of the table. The items are declared by their apps. No other package builds a key.

| module         | the keys of                                                                                     |
|----------------|-------------------------------------------------------------------------------------------------|
| `of_people`    | people, sessions, invitations, registrations, removals; skills, endorsements                    |
| `of_elections` | elections, candidates, rolls, groups, gates, ballots, results; polls and their votes            |
| `of_live`      | live sessions, seats, answers, votes, rounds; questions from the room; minutes; question sets   |
| `of_site`      | counts, figures, leases, workers; pictures; background work; the log; mail; webhooks; news      |
| `parts`        | names, numbers and dates in keys; invisible characters                                          |
| `declared`     | how keys are declared, and what follows from that                                               |

Modules are named `of_…` because many of the plain nouns are spans: `keys.elections("b")` is a part of the list.
"""

# All names of all modules are used as `keys.…`, so that a new key is written in one place only.
# ruff: noqa: F403
# mypy: implicit-reexport

from .of_elections import *
from .of_live import *
from .of_people import *
from .of_site import *
from .parts import *
