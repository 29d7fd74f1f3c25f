#!/usr/bin/env python3
"""Plenum's commands: `python manage.py help` lists them. In production they are run as `plenum`, which calls this."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from config import launch

    sys.exit(launch.run(sys.argv, os.environ))
