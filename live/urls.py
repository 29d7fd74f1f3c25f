"""Addresses of live sessions."""

from django.urls import URLPattern

from . import host_urls

urlpatterns: list[URLPattern] = [
    *host_urls.urlpatterns,
]
