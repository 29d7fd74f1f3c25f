"""Addresses of live sessions."""

from django.urls import URLPattern

from . import host_urls, push_urls

urlpatterns: list[URLPattern] = [
    *host_urls.urlpatterns,
    *push_urls.urlpatterns,
]
