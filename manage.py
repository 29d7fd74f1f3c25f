#!/usr/bin/env python3
"""Plenum's commands: `python manage.py help` lists them."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import call_command, execute_from_command_line

    try:
        if sys.argv[1:] == ["version"]:  # Django would answer its own
            django.setup()
            call_command("version")
        else:
            execute_from_command_line(sys.argv)
    except ImproperlyConfigured as mistake:
        sys.exit(f"Plenum cannot start. {mistake}")
