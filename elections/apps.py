"""The app of elections."""

from django.apps import AppConfig


class ElectionsConfig(AppConfig):
    name = "elections"
