"""The staged site as gunicorn serves it."""

from config.web import Application

from .wsgi import application as wsgi

application = Application(wsgi)
