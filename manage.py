#!/usr/bin/env python3
"""Plenum's commands: `python manage.py help` lists them."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    if sys.argv[1:2] == ["version"]:
        sys.argv[1] = "versions"  # Django would answer its own
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as mistake:
        sys.exit(f"Plenum cannot start. {mistake}")
