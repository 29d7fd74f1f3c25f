"""URLs of the API: its description, and one for each route of its operations."""

from django.urls import path

from . import resources, views
from .calls import view_of
from .operations import Operation, route_name

routes: dict[str, dict[str, Operation]] = {}
for operation in resources.OPERATIONS:
    routes.setdefault(operation.route, {})[operation.method] = operation

urlpatterns = [
    path("", views.api, name="api"),
    path("openapi.json", views.openapi_document, name="openapi"),
    *(path(route, view_of(operations), name=route_name(route)) for route, operations in routes.items()),
]
