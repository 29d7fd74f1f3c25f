"""Addresses of live sessions."""

from django.urls import URLPattern

from . import join_urls

urlpatterns: list[URLPattern] = [
    *join_urls.urlpatterns,
]
