"""Addresses of live sessions."""

from django.urls import URLPattern

from . import host_urls, join_urls, play_urls, push_urls, report_urls

urlpatterns: list[URLPattern] = [
    *host_urls.urlpatterns,
    *join_urls.urlpatterns,
    *play_urls.urlpatterns,
    *push_urls.urlpatterns,
    *report_urls.urlpatterns,
]
