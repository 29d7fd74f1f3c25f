"""The application as gunicorn runs it: all that every page needs is loaded now, before there are several processes."""

import os
from contextlib import suppress

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings  # only after the name of its module is known
from django.core.wsgi import get_wsgi_application
from django.template.loader import get_template
from django.urls import clear_script_prefix, resolve, reverse, set_script_prefix
from django.utils.translation import override

# Compiled now: whoever is first to see a result would wait 0.1 s for its page alone, in every process.
VOTERS_PAGES = (
    "news/home_of.html",
    "ballots/ballot.html",
    "ballots/review.html",
    "ballots/receipt.html",
    "results/not_yet.html",
    "results/results.html",
    "results/parts/sealed.html",
)

application = get_wsgi_application()
resolve("/")  # every address is compiled now
set_script_prefix(settings.FORCE_SCRIPT_NAME)  # templates have addresses in them
for language, _ in settings.LANGUAGES:
    with override(language):
        reverse("home")  # Django then knows all addresses by their names in this language
        with suppress(ValueError):  # static files are not collected yet: the first page says so
            for page in VOTERS_PAGES:
                get_template(page)
clear_script_prefix()
