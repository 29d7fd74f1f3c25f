"""URLs of the API: its description, and one for each route of the operations that apps declare in their `api`."""

from importlib import import_module
from importlib.util import find_spec

from django.apps import apps
from django.urls import path

from . import openapi
from . import people as people  # of this app, which is where the others' begin
from .calls import view_of
from .operations import OPERATIONS, Operation, route_name

for name in [config.name for config in apps.get_app_configs()]:
    if find_spec(f"{name}.api"):
        import_module(f"{name}.api")

routes: dict[str, dict[str, Operation]] = {}
for operation in OPERATIONS:
    routes.setdefault(operation.route, {})[operation.method] = operation

urlpatterns = [
    path("", openapi.api, name="api"),
    path("openapi.json", openapi.openapi_document, name="openapi"),
    *(path(route, view_of(operations), name=route_name(route)) for route, operations in routes.items()),
]
