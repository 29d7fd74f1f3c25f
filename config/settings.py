"""Every setting of the site. The environment is read here and nowhere else; its mistakes are said in sentences."""

from __future__ import annotations

import os
import secrets
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from store.connect import CHAOS

BASE_DIR = Path(__file__).resolve().parent.parent
MAIL_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


class Environment:
    """Reads typed values from the environment and gathers what is wrong, so that one start names every mistake."""

    def __init__(self, variables: dict[str, str]):
        self.variables = variables
        self.mistakes: list[str] = []

    def text(self, name: str, default: str | None = None) -> str:
        value = self.variables.get(name, "").strip() or default
        if value is None:
            self.mistakes.append(f"{name} must be set in production.")
        return value or ""

    def choice(self, name: str, options: tuple[str, ...]) -> str:
        value = self.text(name, options[0])
        if value not in options:
            self.mistakes.append(f"{name} must be one of {', '.join(options)}, not {value!r}.")
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        value = self.text(name, str(default))
        if not value.isdecimal() or not least <= int(value) <= most:
            self.mistakes.append(f"{name} must be a whole number from {least} to {most}, not {value!r}.")
            return default
        return int(value)

    def switch(self, name: str, default: bool = False) -> bool:
        value = self.text(name, "yes" if default else "no").lower()
        if value not in ("yes", "no", "true", "false", "1", "0"):
            self.mistakes.append(f"{name} must be yes or no, not {value!r}.")
        return value in ("yes", "true", "1")

    def networks(self, name: str) -> list[IPv4Network | IPv6Network]:
        found = []
        for word in self.words(name, ""):
            try:
                found.append(ip_network(word))
            except ValueError:
                self.mistakes.append(f"{name} holds addresses or networks, such as 10.0.0.0/8, not {word!r}.")
        return found

    def mail(self, name: str, default: str | None) -> tuple[str, dict[str, object]]:
        """How mail leaves, as Django's backend and its settings: `smtp+tls://user:password@host` or `file:///folder`."""
        if not (text := self.text(name, default)):
            return "", {}
        url = urlsplit(text)
        backends = "django.core.mail.backends"
        if url.scheme == "file":
            return "mail.files.EmailBackend", {"EMAIL_FILE_PATH": url.path}
        if url.scheme not in MAIL_PORTS or not url.hostname:
            self.mistakes.append(f"{name} should look like smtp+tls://user:password@mail.example.org:587.")
            return f"{backends}.smtp.EmailBackend", {}
        return f"{backends}.smtp.EmailBackend", {
            "EMAIL_HOST": url.hostname,
            "EMAIL_PORT": url.port or MAIL_PORTS[url.scheme],
            "EMAIL_HOST_USER": unquote(url.username or ""),
            "EMAIL_HOST_PASSWORD": unquote(url.password or ""),
            "EMAIL_USE_TLS": url.scheme == "smtp+tls",
            "EMAIL_USE_SSL": url.scheme == "smtps",
            "EMAIL_TIMEOUT": 20,
        }

    def store(self, name: str, default: str, *, real: bool) -> str:
        """A store's URL is judged when the store is opened; but bad weather is made on purpose in no real site."""
        value = self.text(name, default)
        if real and value.startswith(CHAOS):
            self.mistakes.append(f"{name} must not be a store with faults in production.")
        return value

    def words(self, name: str, default: str | None = None) -> list[str]:
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def refuse_mistakes(self) -> None:
        if self.mistakes:
            raise ImproperlyConfigured(" ".join(self.mistakes))


def own_secret(folder: Path) -> str:
    """The secret key of a local site, made once and kept beside its data."""
    path = folder / "secret_key"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:
        pass
    except OSError as error:
        raise ImproperlyConfigured(f"DATA_DIR {folder} cannot be written: {error.strerror}.") from None
    return path.read_text()


environment = Environment(dict(os.environ))
PROFILE = environment.choice("PROFILE", ("local", "production"))
PRODUCTION = PROFILE == "production"

# --- what the site runs on ---

DATA_DIR = Path(environment.text("DATA_DIR", None if PRODUCTION else str(BASE_DIR / ".data"))).absolute()
STORE_URL = environment.store("STORE_URL", f"sqlite://{DATA_DIR / 'plenum.sqlite3'}", real=PRODUCTION)
HOST = environment.text("HOST", "127.0.0.1")
PORT = environment.number("PORT", 8000, 1, 65535)
WEB_PROCESSES = environment.number("WEB_PROCESSES", 2, 1, 64)
WEB_THREADS = environment.number("WEB_THREADS", 8, 1, 256)
WEB_CONNECTIONS = environment.number("WEB_CONNECTIONS", 1000, 16, 100_000)  # open at once, in each process
REQUEST_SECONDS = environment.number("REQUEST_SECONDS", 20, 1, 600)  # for a slow client, then a minimum rate
SITE_URL = environment.text("SITE_URL", None if PRODUCTION else f"http://{HOST}:{PORT}").rstrip("/")

# --- security ---

DEBUG = environment.switch("DEBUG")
ALLOWED_HOSTS = environment.words("HOSTS", None if PRODUCTION else "localhost,127.0.0.1,[::1]")
METRICS_TOKEN = environment.text("METRICS_TOKEN", "")
SECRET_KEY = environment.text("SECRET_KEY", None if PRODUCTION else "")
if not SECRET_KEY and not PRODUCTION:
    SECRET_KEY = own_secret(DATA_DIR)
if PRODUCTION and len(SECRET_KEY) < 50:
    environment.mistakes.append("SECRET_KEY must have at least 50 characters.")
if PRODUCTION and DEBUG:
    environment.mistakes.append("DEBUG must be off in production.")

# --- people ---

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.backends.NameOrEmail"]
DEFAULT_ROLE = environment.choice("DEFAULT_ROLE", ("USER", "VOTER", "OBSERVER", "NO_ACCESS"))
SECOND_FACTOR_FOR_ADMINS = environment.switch("SECOND_FACTOR_FOR_ADMINS")
SIGN_IN_FAILURES_PER_ADDRESS = environment.number("SIGN_IN_FAILURES_PER_ADDRESS", 300, 10, 100_000)  # ten minutes
REGISTRATIONS_PER_ADDRESS = environment.number("REGISTRATIONS_PER_ADDRESS", 300, 1, 100_000)  # an hour
RESETS_PER_ADDRESS = environment.number("RESETS_PER_ADDRESS", 100, 1, 100_000)  # an hour
TRUSTED_PROXIES = environment.networks("TRUSTED_PROXIES")
ACCOUNT_RETENTION = environment.number("ACCOUNT_RETENTION", 0, 0, 240)  # months without a sign-in; 0: kept for good
if 0 < ACCOUNT_RETENTION < 3:
    environment.mistakes.append("ACCOUNT_RETENTION must be 0 or at least 3: people are warned a month before.")
FORGET_AFTER_DAYS = environment.number("FORGET_AFTER_DAYS", 30, 0, 3650)  # a removal, the log forgets; 0: never
PASSWORD_HASHERS = ["accounts.hashers.Argon2id"]
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

POLLS_BY_ANYBODY = environment.switch("POLLS_BY_ANYBODY")  # whether somebody without an account may make one
POLL_RETENTION = environment.number("POLL_RETENTION", 365, 1, 3650)  # days a poll is kept at most after its end
POLLS_A_DAY = environment.number("POLLS_A_DAY", 50, 1, 10_000)  # that one maker may make
POLL_VOTES_PER_ADDRESS = environment.number("POLL_VOTES_PER_ADDRESS", 100, 1, 100_000)  # in a poll, in ten minutes

# --- mail ---

EMAIL_BACKEND, MAIL = environment.mail("MAIL_URL", None if PRODUCTION else f"file://{DATA_DIR / 'mail'}")
globals().update(MAIL)  # EMAIL_HOST and its neighbours
DEFAULT_FROM_EMAIL = environment.text("MAIL_FROM", None if PRODUCTION else "Plenum <plenum@localhost>")
environment.refuse_mistakes()

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
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PRODUCTION else None
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = PRODUCTION
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "config.errors.csrf_failure"
X_FRAME_OPTIONS = "DENY"

# --- Django ---

INSTALLED_APPS = [
    "config",
    "upkeep",
    "audit",
    "polls",
    "results",
    "ballots",
    "elections",
    "accounts",
    "ranking",
    "mail",
    "pages",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.forms",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
]
MIDDLEWARE = [
    "config.middleware.request_record",
    "config.middleware.proxies_seen",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.security_headers",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.middleware.probes",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",  # pads its answers by chance, so that their length tells no secret
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "accounts.middleware.SignedIn",
    "config.middleware.Pausing",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.pause",
                "config.context.unknown_proxies",
                "ranking.drafts.of_page",
            ],
            "builtins": ["django.templatetags.i18n", "django.templatetags.static"],
        },
    }
]
DATABASES: dict[str, object] = {}  # everything lives in the store; any call of the ORM raises
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

DATA_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024  # a list of voters comes back from its preview as one field

# --- static files ---

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {"staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}}

# --- languages and time ---

USE_I18N = USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("de", _("German"))]
LOCALE_PATHS = [BASE_DIR / "locale"]

# --- logs: one JSON object a line, without personal data ---

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "config.logs.JsonLines"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": environment.choice("LOG_LEVEL", ("INFO", "DEBUG", "WARNING", "ERROR"))},
    "loggers": {
        # Django's own lines carry the path, and a path can carry a person's name; request_record says what is needed.
        "django.request": {"level": "CRITICAL"},
        "django.security": {"level": "CRITICAL"},
        "django.server": {"level": "CRITICAL"},
    },
}
environment.refuse_mistakes()
