"""Of the process that counts: as in production, but static files keep their names, as nobody has collected them."""

from tests.served_settings import *  # noqa: F403
from tests.served_settings import STATIC_ROOT

STORAGES = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
STATIC_ROOT.mkdir(exist_ok=True)  # WhiteNoise warns when there is none
