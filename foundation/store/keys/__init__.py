"""All keys, by noun: the schema of the table. The items are declared by their apps. No other package builds a key.

| module         | the keys of                                                                                     |
|----------------|-------------------------------------------------------------------------------------------------|
| `of_people`    | people, sessions, invitations, registrations, removals                                          |
| `of_elections` | elections, candidates, rolls, groups, gates, ballots, results                                  |
| `of_polls`     | polls, their gates, votes, results, reports and short codes                                     |
| `of_skills`    | the catalogue of skills, people's skills, endorsements                                          |
| `of_news`      | posts, their URLs and lists, likes, subscribers                                                 |
| `of_live`      | live sessions, seats, answers, votes, rounds; questions from the room; minutes; question sets   |
| `of_site`      | counts, figures, leases, pause, workers; pictures; background work; the log; mail; webhooks     |
| `parts`        | names, numbers and dates in keys; invisible characters                                          |
| `declared`     | how keys are declared                                                                           |

Modules are named `of_…` because many of the plain nouns are spans: `keys.elections("b")` is a part of the list.
"""

# All names of all modules are used as `keys.…`, so that a new key is written in one place only.
# ruff: noqa: F403
# mypy: implicit-reexport

from .of_elections import *
from .of_live import *
from .of_news import *
from .of_people import *
from .of_polls import *
from .of_site import *
from .of_skills import *
from .parts import *
