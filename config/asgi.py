"""The application as gunicorn runs it."""

from config.web import Application
from config.wsgi import application as wsgi

application = Application(wsgi)
