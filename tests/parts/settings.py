"""The settings of a site with one part more."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS, TEMPLATES

INSTALLED_APPS = [*INSTALLED_APPS, "tests.parts.tiny"]
TEMPLATES = [each | {"DIRS": [*each["DIRS"], "tests/parts/templates"]} for each in TEMPLATES]
