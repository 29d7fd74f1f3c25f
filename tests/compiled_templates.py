"""Compiled templates, kept for all processes of a run: each of them would compile templates for ten seconds."""

from __future__ import annotations

import os

from jinja2 import FileSystemBytecodeCache

FOLDER = "COMPILED_TEMPLATES"  # the variable that names where they are


def of_a_server() -> dict[str, str]:
    """The variables of a server that shares them."""
    return {"DJANGO_SETTINGS_MODULE": "tests.served_settings", FOLDER: os.environ[FOLDER]}


class CompiledTemplates(FileSystemBytecodeCache):
    """Tells apart what is compiled into a template: texts, addresses and names of static files."""

    def __init__(self) -> None:
        super().__init__(os.environ[FOLDER])

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        from django.conf import settings
        from django.urls import get_script_prefix
        from django.utils.translation import get_language

        compiled_in = get_language(), get_script_prefix(), settings.STATIC_URL, settings.STORAGES
        return super().get_cache_key(f"{name} {compiled_in}", filename)
