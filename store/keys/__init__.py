"""Every key there is, by noun; what lies under it is declared by its app. No other package builds a key.

| room           | the keys of                                                                        |
|----------------|------------------------------------------------------------------------------------|
| `of_people`    | people, sessions, invitations, registrations, whoever is leaving                   |
| `of_elections` | elections, their lists, managers and candidates                                    |
| `of_rolls`     | voters, elections for everyone, lists of voters on their way in                    |
| `of_books`     | elections bound together on one ballot                                             |
| `of_groups`    | groups that are kept for rolls, their members and where they were used             |
| `of_ballots`   | gates, salts, ballots, published ballots                                           |
| `of_results`   | lots, results, counted rankings, what is to be sealed                              |
| `of_mail`      | the outbox, messages, reminders, mails that failed                                 |
| `of_polls`     | polls, their gates, votes, results, reports and short codes                        |
| `of_skills`    | the catalogue of skills, and who has which                                         |
| `of_news`      | posts, their addresses, and the lists they stand in                                |
| `of_sets`      | question sets of live sessions, and the lists they stand in                        |
| `of_photos`    | pictures that people upload                                                        |
| `of_live`      | live sessions, their seats, answers, votes and rounds                              |
| `of_minutes`   | minutes of assemblies, and the notes added to them                                 |
| `of_qa`        | what the room asks beside a live session, and who wants which answered             |
| `of_tasks`     | background work that is not finished                                               |
| `of_site`      | counts, figures, leases, pause, the site's page, workers and how far each is       |
| `of_log`       | events, checkpoints, the log's index                                               |
| `parts`        | how names and numbers stand in a key                                               |
| `invisible`    | characters that nobody sees, and which of them a name may keep                     |

Rooms are named `of_…` because many of the plain nouns are spans: `keys.elections("b")` is a part of the list.
"""

# Whatever a room has is for whoever says `keys.…`, so that a new key is written in one place.
# ruff: noqa: F403
# mypy: implicit-reexport

from __future__ import annotations

from .invisible import *
from .of_ballots import *
from .of_books import *
from .of_elections import *
from .of_groups import *
from .of_live import *
from .of_log import *
from .of_mail import *
from .of_minutes import *
from .of_news import *
from .of_people import *
from .of_photos import *
from .of_polls import *
from .of_qa import *
from .of_results import *
from .of_rolls import *
from .of_sets import *
from .of_site import *
from .of_skills import *
from .of_tasks import *
from .parts import *
