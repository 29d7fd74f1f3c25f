"""Every setting of the site. The environment is read here and nowhere else; mistakes are reported as sentences."""

from __future__ import annotations

import os
import re
import secrets
import ssl
from collections.abc import Iterable
from email.utils import parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from jinja2 import Undefined

from accounts.connectors.providers import Provider, read_providers
from foundation.mail.names import named_sender
from foundation.pages import colours, logo, times
from foundation.store.connect import BadStoreUrl, check
from foundation.store.keys import OVERRIDES, without_invisible
from operations.upkeep import shared_metrics

from . import checks
from .checks import quoted
from .variables import NAMES, REMOVED

BASE_DIR = Path(__file__).resolve().parent.parent
OF_A_SITE = Path("/etc/plenum/environment")  # where the guide puts the settings of a site in production
SECONDS_PER_YEAR = 365 * 24 * 3600
MAILBOX_PORTS = {"imap": 143, "imaps": 993}


class Environment:
    """Reads typed values from the environment and collects the mistakes, so that one start reports all of them."""

    def __init__(self, variables: dict[str, str]):
        self.variables = variables
        self.mistakes: list[str] = []

    def text(self, name: str, default: str | None = None) -> str:
        value = self.variables.get(name, "").strip() or default
        if value is None:
            self.mistakes.append(f"{name} must be set in production.")
        return value or ""

    def choice(self, name: str, options: tuple[str, ...], *, needed: bool = False) -> str:
        """One of these; defaults to the first, unless production requires a choice."""
        value = self.text(name, options[0])
        if needed and not self.variables.get(name, "").strip():
            self.mistakes.append(f"{name} must be set in production. It is one of {', '.join(options)}.")
        elif value not in options:
            self.mistakes.append(f"{name} must be one of {', '.join(options)}, not {quoted(value)}.")
        return value

    def some(self, name: str, options: tuple[str, ...]) -> tuple[str, ...]:
        """Some of these, all or `none`, in their own order."""
        words = self.comma_list(name, "all")
        if words in (["all"], ["none"]):
            return options if words == ["all"] else ()
        if unknown := [quoted(word) for word in words if word not in options]:
            self.mistakes.append(f"{name} holds some of {', '.join(options)}, all or none, not {', '.join(unknown)}.")
        return tuple(each for each in options if each in words)

    def domains(self, name: str, *, needed: bool) -> list[str]:
        """`example.org` is that domain alone, `.example.org` every subdomain of it."""
        found = [word.casefold() for word in self.comma_list(name, "")]
        for word in found:
            if not re.fullmatch(r"\.?[\w-]+(\.[\w-]+)*", word):
                self.mistakes.append(f"{name} holds domains, such as example.org or .example.org, not {quoted(word)}.")
        if needed and not found:
            self.mistakes.append(f"{name} must name the domains whose addresses may register.")
        return found

    def number(self, name: str, default: int, least: int, most: int) -> int:
        value = self.text(name, str(default))
        if not value.isdecimal() or len(value) > 20 or not least <= int(value) <= most:
            self.mistakes.append(f"{name} must be a whole number from {least} to {most}, not {quoted(value)}.")
            return default
        return int(value)

    def switch(self, name: str, default: bool = False) -> bool:
        value = self.text(name, "yes" if default else "no").lower()
        if value not in ("yes", "no", "true", "false", "1", "0"):
            self.mistakes.append(f"{name} must be yes or no, not {quoted(value)}.")
        return value in ("yes", "true", "1")

    def networks(self, name: str) -> list[IPv4Network | IPv6Network]:
        found = []
        for word in self.comma_list(name, ""):
            try:
                found.append(ip_network(word))
            except ValueError:
                self.mistakes.append(f"{name} holds addresses or networks, such as 10.0.0.0/8, not {quoted(word)}.")
        return found

    def networks_and_hosts(self, name: str) -> tuple[list[IPv4Network | IPv6Network], list[str]]:
        networks, hosts = list[IPv4Network | IPv6Network](), list[str]()
        for word in self.comma_list(name, ""):
            try:
                networks.append(ip_network(word))
            except ValueError:
                hosts.append(word.lower())
        for word in hosts:
            if not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)*", word) or word.replace(".", "").isdecimal():
                self.mistakes.append(f"{name} holds networks and host names, such as 10.0.0.0/8, not {quoted(word)}.")
        return networks, hosts

    def mail(self, name: str, default: str | None) -> tuple[str, dict[str, object]]:
        """How mail is sent, as Django's backend and settings: `smtp+tls://user:password@host` or `file:///folder`."""
        if not (text := self.text(name, default)) or self.report(checks.wrong_mail_url(text)):
            return "", {}
        url = urlsplit(text)
        if url.scheme == "file":
            return "foundation.mail.files.EmailBackend", {"EMAIL_FILE_PATH": url.path}
        return "foundation.mail.smtp.EmailBackend", {
            "EMAIL_HOST": url.hostname,
            "EMAIL_PORT": url.port or checks.MAIL_PORTS[url.scheme],
            "EMAIL_HOST_USER": unquote(url.username or ""),
            "EMAIL_HOST_PASSWORD": unquote(url.password or ""),
            "EMAIL_USE_TLS": url.scheme == "smtp+tls",
            "EMAIL_USE_SSL": url.scheme == "smtps",
            "EMAIL_TIMEOUT": 20,
        }

    def _port(self, name: str, url: SplitResult) -> int | None:
        """The port, 0 if there is none, or `None` if it is invalid."""
        try:
            return url.port or 0
        except ValueError:
            self.mistakes.append(f"In {name} a #, / or ? of a password is written as %23, %2F or %3F.")
            return None

    def bounces(self, name: str) -> str:
        """Where bounced mails are read: `imaps://user:password@host/INBOX` or `maildir:///folder`."""
        text = self.text(name, "")
        url = urlsplit(text)
        is_mailbox = url.scheme in MAILBOX_PORTS and url.hostname and url.username and self._port(name, url) is not None
        if text and not is_mailbox and not (url.scheme == "maildir" and url.path.strip("/")):
            self.mistakes.append(f"{name} should look like imaps://user:password@mail.example.org/INBOX.")
        return text

    def address(self, name: str) -> str:
        """An email address, with or without a display name."""
        text = self.text(name, "")
        if text and ("@" not in parseaddr(text)[1] or "\n" in text):
            self.mistakes.append(f"{name} should look like help@example.org, not {quoted(text)}.")
        return text

    def contact(self, name: str) -> str:
        """An email address, or a page."""
        return text if (text := self.text(name, "")).startswith("https://") else self.address(name)

    def certificates(self, name: str) -> str:
        """A file with certificates of authorities."""
        text = self.text(name, "")
        try:
            if text:
                ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(text)
        except ssl.SSLError:
            self.mistakes.append(f"{name} {quoted(text)} holds no certificate in PEM format.")
        except OSError as error:
            self.mistakes.append(f"{name} {quoted(text)} cannot be read: {error.strerror}.")
        return text

    def token(self, name: str) -> str:
        text = self.text(name, "")
        self.report(checks.wrong_token(name, text))
        return text

    def providers(self, name: str) -> list[Provider]:
        """Identity providers, in a TOML file."""
        if not (path := self.text(name, "")):
            return []
        found, mistakes = read_providers(path)
        self.mistakes += mistakes
        return found

    def store(self, name: str, default: str) -> str:
        """Only checks that the URL is valid; whether the store exists shows when it is opened."""
        value = self.text(name, default)
        try:
            check(value)
        except BadStoreUrl as mistake:
            self.mistakes.append(str(mistake))
        return value

    def comma_list(self, name: str, default: str | None = None) -> list[str]:
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def profile(self, name: str, in_production: Path) -> str:
        """Where a site runs in production the profile must be set: the default would start a second site beside it."""
        if not self.variables.get(name, "").strip() and os.path.lexists(in_production):
            self.mistakes.append(
                f"{name} is not set, and this machine has a site in production ({in_production}). "
                f"Its commands are run as: plenum COMMAND. For a site of your own say {name}=local."
            )
        return self.choice(name, ("local", "production"))

    def report(self, sentences: Iterable[str]) -> bool:
        """Collect the mistakes; returns whether there are any."""
        found = list(sentences)
        self.mistakes += found
        return bool(found)

    def refuse_mistakes(self) -> None:
        """All at once, one per line."""
        if self.mistakes:
            raise ImproperlyConfigured("\n".join(("Plenum cannot start.", *dict.fromkeys(self.mistakes))))


def presentation_mistakes(name: str, colour: str, path: str, zone: str) -> list[str]:
    """Mistakes in how the site presents itself, as sentences."""
    found = (
        (len(name) > 60 or not without_invisible(name).isprintable() or any(each in name for each in OVERRIDES))
        and "SITE_NAME must have 1 to 60 characters, all of them visible and on one line.",
        colour and colours.find_error(colour),
        path and logo.find_error(path),
        zone
        and not times.is_selectable(zone)
        and f"SITE_TIME_ZONE must be a place such as Europe/Berlin, or UTC, not {quoted(zone)}.",
    )
    return [sentence for sentence in found if sentence]


def own_secret(folder: Path) -> str:
    """The secret key of a local site, created once and stored beside its data."""
    path = folder / "secret_key"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:
        pass
    except OSError as error:
        environment.mistakes.append(f"DATA_DIR {folder} cannot be written: {error.strerror}.")
        return ""
    return path.read_text()


STARTED = secrets.token_hex(8)  # identifies this start of the server, from which all its processes are forked
environment = Environment(dict(os.environ))
PROFILE = environment.profile("PROFILE", OF_A_SITE)
PRODUCTION = PROFILE == "production"
environment.report(checks.wrong_writing(environment.variables, NAMES))
environment.report(checks.removed_settings(environment.variables))
if PRODUCTION:
    environment.report(checks.near_misses(environment.variables.keys() - set(REMOVED), NAMES))
IGNORED_SETTINGS = [name for name in REMOVED if name in environment.variables]  # the doctor names them

# --- what the site runs on ---

DATA_DIR = Path(environment.text("DATA_DIR", None if PRODUCTION else str(BASE_DIR / ".data"))).absolute()
STORE_URL = environment.store("STORE_URL", f"sqlite://{DATA_DIR / 'plenum.sqlite3'}")
HOST = environment.text("HOST", "127.0.0.1")
PORT = environment.number("PORT", 8000, 1, 65535)
WEB_PROCESSES = environment.number("WEB_PROCESSES", 2, 1, 64)
WEB_THREADS = environment.number("WEB_THREADS", 8, 1, 256)
WEB_CONNECTIONS = environment.number("WEB_CONNECTIONS", 2000, 16, 100_000)  # open at once, per process
REQUEST_SECONDS = environment.number("REQUEST_SECONDS", 20, 1, 600)  # for a slow client, then a minimum rate
STORE_SECONDS = environment.number("STORE_SECONDS", 5, 2, 60)  # how long a request waits for a remote store in trouble
WORKER = environment.choice("WORKER", ("beside", "apart"))  # whether the server starts and supervises one
METRICS_DIR = Path(environment.text("METRICS_DIR", str(shared_metrics.default_folder(DATA_DIR)))).absolute()
SITE_URL = environment.text("SITE_URL", None if PRODUCTION else f"http://{HOST}:{PORT}").rstrip("/")
environment.report(checks.wrong_listening_address(HOST))
if PRODUCTION:
    environment.report(checks.wrong_folder("DATA_DIR", environment.text("DATA_DIR", "")))
if SITE_URL:
    environment.report(checks.wrong_site_url(SITE_URL, production=PRODUCTION))
SITE_PATH = checks.path_of(SITE_URL)  # the path the site is served below, or empty
if not re.fullmatch(r"(/[\w.~-]*\w)*", SITE_PATH, re.ASCII):
    environment.mistakes.append(
        f"The path of SITE_URL is made of letters, digits and hyphens, not {quoted(SITE_PATH)}."
    )
FORCE_SCRIPT_NAME = SITE_PATH  # even if empty: with None, Django would trust the request

# --- how the site presents itself ---

SITE_NAME = environment.text("SITE_NAME", "Plenum")
SITE_LOGO = environment.text("SITE_LOGO", "")  # a file of the operator
SITE_COLOUR = environment.text("SITE_COLOUR", "").lower()
SITE_LANGUAGE = environment.choice("SITE_LANGUAGE", ("en", "de"))  # LANGUAGE is gettext's own, and set on many machines
SITE_TIME_ZONE = environment.text("SITE_TIME_ZONE", "")  # the default in forms, if any
environment.mistakes += presentation_mistakes(SITE_NAME, SITE_COLOUR, SITE_LOGO, SITE_TIME_ZONE)

# --- security ---

DEBUG = environment.switch("DEBUG")
ALLOWED_HOSTS = environment.comma_list("HOSTS", None if PRODUCTION else "localhost,127.0.0.1,[::1]")
environment.report(checks.wrong_hosts(ALLOWED_HOSTS, SITE_URL, production=PRODUCTION))
SECURITY_CONTACT = environment.contact("SECURITY_CONTACT")  # for reports of vulnerabilities
METRICS_TOKEN = environment.token("METRICS_TOKEN")
SECRET_KEY = environment.text("SECRET_KEY", None if PRODUCTION else "")
if not SECRET_KEY and not PRODUCTION and not environment.mistakes:  # a refused start leaves nothing behind
    SECRET_KEY = own_secret(DATA_DIR)
if PRODUCTION and SECRET_KEY:
    environment.report(checks.wrong_secret(SECRET_KEY))
if PRODUCTION and DEBUG:
    environment.mistakes.append("DEBUG must be off in production.")
# For this host only. In production nothing works without HTTPS anyway.
SECURE_HSTS_SECONDS = environment.number("HSTS", SECONDS_PER_YEAR if PRODUCTION else 0, 0, SECONDS_PER_YEAR * 10)
SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W005", "security.W021"]  # all three are the operator's choice
SILENCED_SYSTEM_CHECKS += ["security.W003"]  # FormTokens, below, is Django's CsrfViewMiddleware

# --- people ---

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.backends.NameOrEmail"]
REGISTRATION = environment.choice("REGISTRATION", ("open", "invited", "domains", "closed"), needed=PRODUCTION)
REGISTRATION_DOMAINS = environment.domains("REGISTRATION_DOMAINS", needed=REGISTRATION == "domains")
USUAL_ROLES = ("VOTER", "USER") if PRODUCTION else ("USER", "VOTER")  # those who may run elections can send mail
DEFAULT_ROLE = environment.choice("DEFAULT_ROLE", (*USUAL_ROLES, "OBSERVER", "NO_ACCESS"))
MAILS_A_DAY = environment.number("MAILS_A_DAY", 500, 0, 1_000_000)  # that one organiser may send to others
SECOND_FACTOR_FOR_ADMINS = environment.switch("SECOND_FACTOR_FOR_ADMINS")
SIGN_IN_FAILURES_PER_ADDRESS = environment.number("SIGN_IN_FAILURES_PER_ADDRESS", 300, 10, 100_000)  # per ten minutes
REGISTRATIONS_PER_ADDRESS = environment.number("REGISTRATIONS_PER_ADDRESS", 300, 1, 100_000)  # per hour
SIGN_IN_PROVIDERS = environment.providers("SIGN_IN_PROVIDERS")
TRUSTED_PROXIES = environment.networks("TRUSTED_PROXIES")
environment.report(checks.wrong_proxies(TRUSTED_PROXIES))
FORGET_AFTER_DAYS = environment.number("FORGET_AFTER_DAYS", 30, 0, 3650)  # after a removal, the log forgets; 0: never
PASSWORD_HASHERS = ["accounts.backends.Argon2id"]
VALIDATION = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{VALIDATION}.UserAttributeSimilarityValidator", "OPTIONS": {"user_attributes": ("name", "email")}},
    {"NAME": f"{VALIDATION}.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": f"{VALIDATION}.CommonPasswordValidator"},
    {"NAME": f"{VALIDATION}.NumericPasswordValidator"},
]
PASSWORD_RESET_TIMEOUT = 3600
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "home"
SESSION_ENGINE = "accounts.sessions"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_NAME = "plenum_session"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"

# --- polls ---

POLLS_BY_ANYBODY = environment.switch("POLLS_BY_ANYBODY")  # whether visitors may create one without an account
POLL_RETENTION = environment.number("POLL_RETENTION", 365, 1, 3650)  # days a poll is kept at most after its end
POLL_VOTES_PER_ADDRESS = environment.number("POLL_VOTES_PER_ADDRESS", 100, 1, 100_000)  # per poll, in ten minutes

# --- live sessions ---

LIVE_RETENTION = environment.number("LIVE_RETENTION", 14, 1, 365)  # days its data is kept after its end

# --- backups ---

BACKUP_MAX_AGE_DAYS = environment.number("BACKUP_MAX_AGE_DAYS", 3 if PRODUCTION else 0, 0, 365)  # 0: no warning

# --- mail ---

EMAIL_BACKEND, MAIL = environment.mail("MAIL_URL", None if PRODUCTION else f"file://{DATA_DIR / 'mail'}")
globals().update(MAIL)  # EMAIL_HOST and related settings
MAIL_FROM = environment.text("MAIL_FROM", None if PRODUCTION else "plenum@localhost")
DEFAULT_FROM_EMAIL = named_sender(MAIL_FROM, SITE_NAME)
environment.report(checks.wrong_sender(MAIL_FROM))
MAIL_REPLY_TO = environment.address("MAIL_REPLY_TO")
MAIL_CA = environment.certificates("MAIL_CA")  # for a mail server whose certificate no public authority signed
OUTGOING_ALLOWED = environment.networks_and_hosts("OUTGOING_ALLOWED")  # see foundation/acts/outbound.py
OUTGOING_CA = environment.certificates("OUTGOING_CA")
BOUNCES_URL = environment.bounces("BOUNCES_URL")

CONTENT_SECURITY_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}
PERMISSIONS_POLICY = ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
# What a page loads is asked for without its address, which may have a token in it: proxies log both. The form check of
# Django needs no more than the origin.
SECURE_REFERRER_POLICY = "strict-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PRODUCTION else None
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_REDIRECT_EXEMPT = [f"^{re.escape(f'{SITE_PATH}/{probe}'[1:])}$" for probe in ("healthz", "readyz", "metrics")]
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = f"{SITE_PATH}/"
# A proxy may drop a non-standard port from Host; the browser sends it in Origin.
CSRF_TRUSTED_ORIGINS = [SITE_URL.removesuffix(SITE_PATH)] if PRODUCTION else []
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "config.errors.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_REDIRECT_EXEMPT.append(r"(^|/)doctor/[^/]+/$")  # shows whether HTTPS is recognised as such

# --- Django ---

# What a site may have besides elections, lower ones first: a part uses none that come after it.
ALL_PARTS = (
    *("letters", "stations", "skills", "roll_sources", "candidate_questions", "help_desk"),
    *("polls", "questions", "live", "assembly", "news", "webhooks"),
)
PARTS = environment.some("PARTS", ALL_PARTS)

INSTALLED_APPS = [
    "config",
    "results",
    "ballots",
    "elections",
    "accounts",
    *(f"parts.{name}" for name in PARTS),
    "operations.audit",
    "operations.upkeep",
    "operations.trust",
    "foundation.ranking",
    "foundation.mail",
    "foundation.photos",
    "foundation.pages",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.forms",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
]
OF_PARTS = {"stations": "parts.stations.browser.BoothMiddleware"}  # between the session and the check of forms
MIDDLEWARE = [
    "config.middleware.request_record",
    "config.middleware.head_without_body",
    "config.middleware.store_timeout",
    "config.middleware.prefixed_cookies",
    "config.middleware.below_path",
    "config.middleware.watch_proxies",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.security_headers",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.middleware.probes",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.QuickGZip",  # adds up to 100 random bytes, so that lengths reveal no secret (BREACH)
    "accounts.api.problems.ignore_cookies",
    "config.middleware.readers_language",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    *(OF_PARTS[name] for name in PARTS if name in OF_PARTS),
    "config.middleware.FormTokens",
    "accounts.authentication.AuthenticationMiddleware",
    "config.middleware.PauseGuard",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.ErrorPages",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,  # for the widgets of django.forms
        "OPTIONS": {
            "environment": "config.jinja.environment",
            # Also under DEBUG, where Django would choose others. Like code, an edited template needs a restart.
            "auto_reload": False,
            "undefined": Undefined,  # tests make it raise
            "context_processors": [
                "accounts.visitors.user_context",
                "django.contrib.messages.context_processors.messages",
                "foundation.pages.site_views.site_context",
                "config.jinja.site_state",
                "foundation.ranking.drafts.page_context",
            ],
        },
    }
]
DATABASES: dict[str, object] = {}  # everything is in the store; any ORM call raises
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

DATA_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024  # a list of voters is returned by its preview as one field
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_100  # marks for all candidates of an election (elections/rules.py), and more
FILE_UPLOAD_MAX_MEMORY_SIZE = 9 * 1024 * 1024  # pictures may contain a location, so never touch the disk

# --- static files ---

STATIC_URL = f"{SITE_PATH}/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {"staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}}

# --- languages and time ---

USE_I18N = USE_TZ = True
TIME_ZONE = "UTC"  # lists show it beside every time
LANGUAGE_CODE = SITE_LANGUAGE
LANGUAGES = [("en", "English (US)"), ("en-gb", "English (UK)"), ("de", "Deutsch")]  # in the language itself
FORMAT_MODULE_PATH = ["config.formats"]
LOCALE_PATHS = [BASE_DIR / "locale"]

# --- logs: one JSON object a line, without personal data ---

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "config.logs.JsonLines"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": environment.choice("LOG_LEVEL", ("INFO", "DEBUG", "WARNING", "ERROR"))},
    "loggers": {
        # Django's own lines contain the path, which can contain a person's name; request_record logs what is needed.
        "django.request": {"level": "CRITICAL"},
        "django.security": {"level": "CRITICAL"},
        "django.server": {"level": "CRITICAL"},
    },
}
environment.refuse_mistakes()
