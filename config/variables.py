"""The list of settings, as the table in docs/operations.md and a new environment file have it."""

from __future__ import annotations

import re
from typing import NamedTuple


class Variable(NamedTuple):
    """One setting, in the words of its row in the table."""

    name: str
    local: str  # what holds where nothing is set
    production: str
    words: str

    @property
    def row(self) -> str:
        return f"| `{self.name}` | {self.local} | {self.production} | {self.words} |"

    @property
    def default(self) -> str:
        """What holds in production, if that is a plain value."""
        said = re.fullmatch(r"`([^`]*)`", self.local if self.production == THE_SAME else self.production)
        return said[1] if said else ""

    @property
    def plainly(self) -> str:
        """The words without the marks of a document, and without what only leads to another."""
        words = re.sub(r" \(\[[^\]]*\]\([^)]*\)\)", "", self.words)
        return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words).replace("`", "")


THE_SAME, REQUIRED = "the same", "required"

VARIABLES = (
    Variable(
        "PROFILE",
        "`local`",
        "`production`",
        "`production`, or `local` for a site to try things on",
    ),
    Variable(
        "SECRET_KEY",
        "made once, kept in `DATA_DIR/secret_key`",
        "required, 50 characters or more",
        "signs cookies and links; while a secret election is open, finds its ballots",
    ),
    Variable("HOSTS", "`localhost,127.0.0.1,[::1]`", REQUIRED, "the host names the site answers to"),
    Variable("DATA_DIR", "`.data`", REQUIRED, "embedded store, static files, metrics"),
    Variable(
        "STORE_URL",
        "`sqlite://DATA_DIR/plenum.sqlite3`",
        THE_SAME,
        "`sqlite:///path` or `dynamodb://region?prefix=…&endpoint=…&threads=…&protected=…` ([DynamoDB](#dynamodb))",
    ),
    Variable("HOST", "`127.0.0.1`", THE_SAME, "the address where gunicorn listens"),
    Variable("PORT", "`8000`", THE_SAME, "the port where gunicorn listens"),
    Variable(
        "WEB_PROCESSES",
        "`2`",
        THE_SAME,
        "gunicorn's processes; each may start two more for counts on request, of up to 4 s of a processor and 512 MB",
    ),
    Variable("WEB_THREADS", "`8`", THE_SAME, "threads in each of gunicorn's processes"),
    Variable(
        "WEB_CONNECTIONS",
        "`2000`",
        THE_SAME,
        "connections open at once in each process, four fifths of them for streams of live sessions; fewer where the "
        "system allows fewer files than twice as many and 256",
    ),
    Variable(
        "REQUEST_SECONDS",
        "`20`",
        THE_SAME,
        "how long a client may take over the head of a request; over a body or an answer a second more "
        "for every 500 bytes",
    ),
    Variable(
        "STORE_SECONDS",
        "`5`",
        THE_SAME,
        "how long a request waits for DynamoDB if it is slow, busy or silent, all tries together "
        "([reliability](reliability.md)); 2 to 60",
    ),
    Variable(
        "WORKER",
        "`beside`",
        THE_SAME,
        "`beside`: the server starts a worker and another when it ends; `apart`: it starts none, "
        "because a unit or container of its own does",
    ),
    Variable(
        "DISK_WARN_MB",
        "`500`",
        THE_SAME,
        "megabytes free on a disk below which the log and every page under `/admin/` say so",
    ),
    Variable(
        "METRICS_DIR",
        "a folder of its own in `/dev/shm`; without that, `DATA_DIR/metrics`",
        THE_SAME,
        "where the processes on this machine add up their figures, in files mapped into memory: on a full disk "
        "they would end, so it should be a folder in memory. Not to be shared between containers",
    ),
    Variable(
        "SITE_URL",
        "`http://HOST:PORT`",
        REQUIRED,
        "where people reach the site, perhaps below a path; the links in mails start with it",
    ),
    Variable(
        "SITE_NAME",
        "`Plenum`",
        THE_SAME,
        "what the site is called: titles, the head of pages, mails, authenticator apps",
    ),
    Variable("SITE_LOGO", "none", THE_SAME, "path of a PNG or SVG of your own, 200 KB at most"),
    Variable("SITE_COLOUR", "our violet", THE_SAME, "one colour, such as `#0b5394`, that can be read on light pages"),
    Variable("SITE_LANGUAGE", "`en`", THE_SAME, "`en` or `de`, for people whose browser asks for neither"),
    Variable(
        "SITE_TIME_ZONE",
        "none: the reader's",
        THE_SAME,
        "what forms for elections and polls begin with, such as `Europe/Berlin`",
    ),
    Variable(
        "HSTS",
        "`0`",
        "`86400`",
        "seconds for which browsers come by HTTPS only; `31536000` once the site has run well for a while",
    ),
    Variable("HSTS_SUBDOMAINS", "`no`", THE_SAME, "whether that holds for every host below this one, too"),
    Variable("HSTS_PRELOAD", "`no`", THE_SAME, "whether browsers may be shipped with it; needs a year and sub-domains"),
    Variable(
        "REGISTRATION",
        "`open`",
        REQUIRED,
        "who may make an account: `open`, `invited`, `domains`, `closed` (see [People](people.md))",
    ),
    Variable(
        "REGISTRATION_DOMAINS",
        "none",
        "the same; required with `domains`",
        "whose addresses may register, with commas between: `example.org` is that domain alone, "
        "`.example.org` every one below it",
    ),
    Variable(
        "DEFAULT_ROLE",
        "`USER`",
        "`VOTER`",
        "what a new person may do: `NO_ACCESS` (wait for approval), `OBSERVER`, `VOTER`, `USER` (run "
        "elections, and so have mail sent)",
    ),
    Variable(
        "MAILS_A_DAY",
        "`500`",
        THE_SAME,
        "mails to others that one organiser may have sent in a day; an admin can set another number for one person",
    ),
    Variable(
        "SECOND_FACTOR_FOR_ADMINS", "`no`", THE_SAME, "whether ADMIN, AUDITOR and OWNER must have a second factor"
    ),
    Variable(
        "TRUSTED_PROXIES",
        "none",
        THE_SAME,
        "addresses or networks whose `X-Forwarded-For` is believed, with commas between; behind a proxy "
        "it must be set (see Limits)",
    ),
    Variable("SIGN_IN_FAILURES_PER_ADDRESS", "`300`", THE_SAME, "wrong passwords from one address in ten minutes"),
    Variable(
        "REGISTRATIONS_PER_ADDRESS",
        "`300`",
        THE_SAME,
        "accounts asked for from one address in an hour; a campus behind one address may need more on its first day",
    ),
    Variable(
        "RESETS_PER_ADDRESS", "`100`", THE_SAME, "links for a forgotten password asked for from one address in an hour"
    ),
    Variable(
        "ACCOUNT_RETENTION",
        "`0`: kept for good",
        THE_SAME,
        "months without a sign-in after which an account is removed, at least 3; 30 days before, it is "
        "warned by mail ([personal data](personal_data.md))",
    ),
    Variable(
        "FORGET_AFTER_DAYS",
        "`30`",
        THE_SAME,
        "days after somebody's removal at which the log forgets their name; `0`: never",
    ),
    Variable(
        "MAIL_URL",
        "files in `DATA_DIR/mail`",
        REQUIRED,
        "`smtp+tls://user:password@host:587`, `smtps://…`, `smtp://…` or `file:///folder`",
    ),
    Variable("MAIL_FROM", "`plenum@localhost`", REQUIRED, "the sender of mails"),
    Variable("MAIL_REPLY_TO", "none", THE_SAME, "where answers of people go, if not to the sender"),
    Variable(
        "MAIL_CA",
        "none",
        THE_SAME,
        "a file with the certificate of a CA of your own, for the mail server and the mailbox",
    ),
    Variable(
        "BOUNCES_URL",
        "none",
        THE_SAME,
        "the mailbox to which mails come back: `imaps://user:password@host/INBOX` or `maildir:///folder`",
    ),
    Variable(
        "BOUNCES_TOKEN",
        "none",
        "none: `/mails/bounces/` is not there",
        "who brings it as `Authorization: Bearer …` may report mails that came back",
    ),
    Variable("POLLS_BY_ANYBODY", "`no`", THE_SAME, "whether somebody without an account may make a poll"),
    Variable("POLLS_A_DAY", "`50`", THE_SAME, "polls one maker may make in a day"),
    Variable("POLL_RETENTION", "`365`", THE_SAME, "days a poll is kept at most after its end"),
    Variable(
        "LIVE_WAITING",
        "`14`",
        THE_SAME,
        "days a live session waits to be started, counted from the last change by its host; then it ends by itself",
    ),
    Variable(
        "LIVE_IDLE",
        "`2`",
        THE_SAME,
        "hours after which a live session that was started ends by itself, if nobody hosts it and nobody answers",
    ),
    Variable("LIVE_ASSEMBLY_IDLE", "`36`", THE_SAME, "the same for an assembly, which may last for several days"),
    Variable("LIVE_RETENTION", "`14`", THE_SAME, "days the data of a live session is kept after its end"),
    Variable(
        "POLL_VOTES_PER_ADDRESS",
        "`100`",
        THE_SAME,
        "votes in one poll from one address in ten minutes; a lecture hall behind one address may need more",
    ),
    Variable(
        "BACKUP_RECIPIENTS",
        "none",
        "the same; `backup` then asks for `--to` or `--unencrypted`",
        "keys that backups are encrypted to, as `backup_key` makes them, with commas between",
    ),
    Variable(
        "BACKUP_MAX_AGE_DAYS",
        "`0`",
        "`3`",
        "after how many days without a backup owner and auditors are warned by mail, once a day; `0`: never",
    ),
    Variable(
        "METRICS_TOKEN",
        "none: open",
        "none: `/metrics` is not there",
        "who brings it as `Authorization: Bearer …` may read `/metrics`",
    ),
    Variable("LOG_LEVEL", "`INFO`", THE_SAME, "`DEBUG`, `INFO`, `WARNING` or `ERROR`"),
    Variable("DEBUG", "`no`", "must be off", "Django's error pages with tracebacks"),
)
NAMES = tuple(variable.name for variable in VARIABLES)
