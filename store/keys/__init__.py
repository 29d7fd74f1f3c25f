"""Every key there is, by noun; what lies under it is declared by its app. No other package builds a key.

| module         | the keys of                                                                                     |
|----------------|-------------------------------------------------------------------------------------------------|
| `of_people`    | people, sessions, invitations, registrations, whoever is leaving                                |
| `of_elections` | elections, candidates, rolls, groups, multi-question ballots, gates, salts, ballots, results     |
| `of_polls`     | polls, their gates, votes, results, reports and short codes                                     |
| `of_skills`    | the catalogue of skills, and who has which                                                      |
| `of_news`      | posts, their addresses, and the lists they stand in                                             |
| `of_live`      | live sessions, seats, answers, votes, rounds; questions from the room; minutes; question sets   |
| `of_photos`    | pictures that people upload                                                                     |
| `of_site`      | counts, figures, leases, pause, workers; background work; the log; mail                         |
| `parts`        | how names and numbers stand in a key; characters that nobody sees                               |

Modules are named `of_…` because many of the plain nouns are spans: `keys.elections("b")` is a part of the list.
"""

# Whatever a module has is for whoever says `keys.…`, so that a new key is written in one place.
# ruff: noqa: F403
# mypy: implicit-reexport

from __future__ import annotations

from .of_elections import *
from .of_live import *
from .of_news import *
from .of_people import *
from .of_photos import *
from .of_polls import *
from .of_site import *
from .of_skills import *
from .parts import *
