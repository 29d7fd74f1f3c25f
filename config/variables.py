"""The list of settings, as used in docs/reference/settings.md and in a new environment file."""

from __future__ import annotations

import re
from typing import NamedTuple


class Variable(NamedTuple):
    """One setting, as in its row of the table."""

    name: str
    local: str  # the value if nothing is set
    production: str
    description: str

    @property
    def row(self) -> str:
        return f"| `{self.name}` | {self.local} | {self.production} | {self.description} |"

    @property
    def default(self) -> str:
        """The default in production, if it is a plain value."""
        plain = re.fullmatch(r"`([^`]*)`", self.local if self.production == THE_SAME else self.production)
        return plain[1] if plain else ""

    @property
    def plain_text(self) -> str:
        """The text without Markdown, and without links that only lead elsewhere."""
        text = re.sub(r" \(\[[^\]]*\]\([^)]*\)\)", "", self.description)
        return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "")


THE_SAME, REQUIRED = "the same", "required"

# name | default | default in production: = the same, ! required | description
TABLE = """
PROFILE | `local` | `production` | `production`, or `local` for a site to try things on
SECRET_KEY | made once, kept in `DATA_DIR/secret_key` | required, 50 characters or more | signs cookies and links,
    makes letters' codes ([what depends on it](../how-to/operations.md#secret_key))
HOSTS | `localhost,127.0.0.1,[::1]` | ! | the host names the site answers to
DATA_DIR | `.data` | ! | embedded store, static files, metrics
STORE_URL | `sqlite://DATA_DIR/plenum.sqlite3` | = | `sqlite:///path` or
    `dynamodb://region?prefix=…&endpoint=…&threads=…&protected=…` ([DynamoDB](../how-to/operations.md#dynamodb))
HOST | `127.0.0.1` | = | the address where gunicorn listens
PORT | `8000` | = | the port where gunicorn listens
WEB_PROCESSES | `2` | = | gunicorn's processes; each may start two more for counts on request, of up to 4 s of a
    processor and 512 MB
WEB_THREADS | `8` | = | threads in each of gunicorn's processes
WEB_CONNECTIONS | `2000` | = | connections open at once in each process, four fifths of them for streams of live
    sessions; fewer where the system allows fewer files than twice as many and 256
REQUEST_SECONDS | `20` | = | how long a client may take over the head of a request, and stand still within a
    body; over a body or an answer a second more for every 500 bytes, over a body ten minutes at most
STORE_SECONDS | `5` | = | how long a request waits for DynamoDB if it is slow, busy or silent, all tries together
    ([reliability](../explanation/reliability.md)); 2 to 60
WORKER | `beside` | = | `beside`: the server starts a worker and another when it ends; `apart`: it starts none,
    because a unit or container of its own does
METRICS_DIR | a folder of its own in `/dev/shm`; without that, `DATA_DIR/metrics` | = | where the processes on this
    machine add up their figures, in files mapped into memory: on a full disk they would end, so it should be a folder
    in memory. Not to be shared between containers
PARTS | `all` | = | what the site has besides elections: some of `letters`, `stations`, `skills`, `roll_sources`,
    `candidate_questions`, `help_desk`, `polls`, `news`, `webhooks`, `questions`, `live` and `assembly`, with commas
    between, or `none`; the others are not even loaded
SITE_URL | `http://HOST:PORT` | ! | where people reach the site, perhaps below a path; the links in mails start with
    it
SITE_NAME | `Plenum` | = | what the site is called: titles, the head of pages, mails, authenticator apps
SITE_LOGO | none | = | path of a PNG or SVG of your own, 200 KB at most
SITE_COLOUR | our violet | = | one colour, such as `#0b5394`, that can be read on light pages
SITE_LANGUAGE | `en` | = | `en` or `de`, for people whose browser asks for neither
SITE_TIME_ZONE | none: the reader's | = | for new elections and polls, and all other times, such as `Europe/Berlin`
HSTS | `0` | `31536000` | seconds for which browsers come to this host by HTTPS only
REGISTRATION | `open` | ! | who may make an account: `open`, `invited`, `domains`, `closed` (see
    [People](../how-to/people.md))
REGISTRATION_DOMAINS | none | the same; required with `domains` | whose addresses may register, with commas between:
    `example.org` is that domain alone, `.example.org` every one below it
DEFAULT_ROLE | `USER` | `VOTER` | what a new person may do: `NO_ACCESS` (wait for approval), `OBSERVER`, `VOTER`,
    `USER` (run elections, and so have mail sent)
MAILS_A_DAY | `500` | = | mails to others that one organiser may have sent in a day; an admin can set another number
    for one person
SECOND_FACTOR_FOR_ADMINS | `no` | = | whether ADMIN, AUDITOR and OWNER must have a second factor
SIGN_IN_PROVIDERS | none | = | path of a TOML file with the identity providers people can sign in with
    ([single sign-on](../how-to/single-sign-on.md))
TRUSTED_PROXIES | none | = | addresses or networks whose `X-Forwarded-For` is believed, with commas between; behind
    a proxy it must be set (see Limits)
SIGN_IN_FAILURES_PER_ADDRESS | `300` | = | wrong passwords from one address in ten minutes
REGISTRATIONS_PER_ADDRESS | `300` | = | accounts asked for from one address in an hour, a sixth of them as long as
    nobody opens the links in the mails; a campus behind one address may need more on its first day
FORGET_AFTER_DAYS | `30` | = | days after somebody's removal at which the log forgets their name; `0`: never
MAIL_URL | files in `DATA_DIR/mail` | ! | `smtp+tls://user:password@host:587`, `smtps://…`, `smtp://…` or
    `file:///folder`
MAIL_FROM | `plenum@localhost` | ! | the sender of mails
MAIL_REPLY_TO | none | = | where answers of people go, if not to the sender
SECURITY_CONTACT | `MAIL_REPLY_TO` | = | where people report vulnerabilities, as `/trust/` and
    `/.well-known/security.txt` say: an address, or a page that begins with `https://`
MAIL_CA | none | = | a file with the certificate of a CA of your own, for the mail server and the mailbox
OUTGOING_ALLOWED | none | = | private networks and host names that [webhooks](../how-to/webhooks.md) may be sent to
    and that [rolls may follow](../how-to/who-may-vote.md#rolls-that-follow-a-source),
    with commas between: `10.0.0.0/8,hooks.internal`; those also by `http://` and on any port
OUTGOING_CA | none | = | a file with the certificate of a CA of your own, for the hosts that webhooks are sent to
BOUNCES_URL | none | = | the mailbox to which mails come back: `imaps://user:password@host/INBOX` or
    `maildir:///folder`
POLLS_BY_ANYBODY | `no` | = | whether somebody without an account may make a poll
POLL_RETENTION | `365` | = | days a poll is kept at most after its end
LIVE_RETENTION | `14` | = | days the data of a live session is kept after its end
POLL_VOTES_PER_ADDRESS | `100` | = | votes in one poll from one address in ten minutes; a lecture hall behind one
    address may need more
BACKUP_MAX_AGE_DAYS | `0` | `3` | after how many days without a backup owner and auditors are warned by mail, once a
    day; `0`: never
METRICS_TOKEN | none: open | none: `/metrics` is not there | who brings it as `Authorization: Bearer …` may read
    `/metrics`
LOG_LEVEL | `INFO` | = | `DEBUG`, `INFO`, `WARNING` or `ERROR`
DEBUG | `no` | must be off | Django's error pages with tracebacks
"""


SHORT = {"=": THE_SAME, "!": REQUIRED}
ROWS = (" ".join(row.split()).split(" | ") for row in re.split(r"\n(?! )", TABLE.strip()))
VARIABLES = tuple(Variable(name, local, SHORT.get(there, there), about) for name, local, there, about in ROWS)
NAMES = tuple(variable.name for variable in VARIABLES)

# of earlier versions; without effect
REMOVED = (
    *("ACCOUNT_RETENTION", "API_REQUESTS_PER_ADDRESS", "API_REQUESTS_PER_PROGRAM", "BOUNCES_TOKEN", "DISK_WARN_MB"),
    *("HSTS_PRELOAD", "HSTS_SUBDOMAINS", "LIVE_ASSEMBLY_IDLE", "LIVE_IDLE", "LIVE_WAITING", "POLLS_A_DAY"),
    "RESETS_PER_ADDRESS",
)
