"""Every setting of the site. The environment is read here and nowhere else; its mistakes are said in sentences."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

BASE_DIR = Path(__file__).resolve().parent.parent


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
STORE_URL = environment.text("STORE_URL", f"sqlite://{DATA_DIR / 'plenum.sqlite3'}")
HOST = environment.text("HOST", "127.0.0.1")
PORT = environment.number("PORT", 8000, 1, 65535)
WEB_PROCESSES = environment.number("WEB_PROCESSES", 2, 1, 64)
WEB_THREADS = environment.number("WEB_THREADS", 8, 1, 256)

# --- security ---

DEBUG = environment.switch("DEBUG")
ALLOWED_HOSTS = environment.words("HOSTS", None if PRODUCTION else "localhost,127.0.0.1,[::1]")
METRICS_TOKEN = environment.text("METRICS_TOKEN", "")
SECRET_KEY = environment.text("SECRET_KEY", None if PRODUCTION else own_secret(DATA_DIR))
if PRODUCTION and len(SECRET_KEY) < 50:
    environment.mistakes.append("SECRET_KEY must have at least 50 characters.")
if PRODUCTION and DEBUG:
    environment.mistakes.append("DEBUG must be off in production.")
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
    "django.forms",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
]
MIDDLEWARE = [
    "config.middleware.request_record",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.security_headers",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.Failures",
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
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["django.templatetags.i18n", "django.templatetags.static"],
        },
    }
]
DATABASES: dict = {}  # everything lives in the store; any call of the ORM raises
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

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
