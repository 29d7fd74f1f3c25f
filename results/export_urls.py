"""The addresses of what can be taken away from a result."""

from django.urls import path

from . import exports

urlpatterns = [
    path("election/<name:name>/results/export/<str:file>", exports.export, name="export"),
    path("election/<name:name>/results/bundle.zip", exports.bundle, name="bundle"),
]
