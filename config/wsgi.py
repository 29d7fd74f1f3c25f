"""The application as gunicorn runs it: what every page needs is loaded now, before the processes are forked."""

import os
from contextlib import suppress

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings  # only once the name of its module is set
from django.core.wsgi import get_wsgi_application
from django.template import engines
from django.urls import clear_script_prefix, resolve, reverse, set_script_prefix
from django.utils.translation import override

# Compiled now, with all that they extend and include: in every process and language, the first voter would wait 0.1 s.
VOTERS_PAGES = (
    "front/home_of.html",
    "ballots/ballot.html",
    "ranking/parts/choice.html",  # which Python includes there
    "ballots/review.html",
    "ballots/thanks.html",
    "ballots/counted.html",
    "results/not_yet.html",
    "results/results.html",
    "results/parts/sealed.html",
)

application = get_wsgi_application()
resolve("/")  # compiles all URL patterns
set_script_prefix(settings.FORCE_SCRIPT_NAME)  # templates contain URLs
for language, _ in settings.LANGUAGES:
    with override(language):
        reverse("home")  # loads Django's reverse lookup for this language
        with suppress(ValueError):  # static files are not collected yet: the first page reports it
            for page in VOTERS_PAGES:
                engines["jinja2"].env.compile_ahead(page)
clear_script_prefix()
