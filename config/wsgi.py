"""The application as gunicorn runs it: all that every page needs is loaded now, before there are several processes."""

import os
from contextlib import suppress

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings  # only after the name of its module is known
from django.core.wsgi import get_wsgi_application
from django.template.loader import get_template
from django.urls import resolve, reverse
from django.utils.translation import override

application = get_wsgi_application()
with suppress(ValueError):  # static files are not collected yet: the first page says so, and probes are answered
    get_template("base.html")
resolve("/")  # every address is compiled now
for language, _ in settings.LANGUAGES:
    with override(language):
        reverse("home")  # Django then knows all addresses by their names in this language
