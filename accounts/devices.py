"""What a browser calls itself, in words its owner recognises."""

from __future__ import annotations

import re

BROWSERS = (("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrome", "Chrome"), ("Safari", "Safari"))
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def device(user_agent: str) -> str:
    """`Firefox, Linux`; the empty string if it says nothing we know."""
    browser = next((name for sign, name in BROWSERS if re.search(rf"{sign}\w*/", user_agent)), "")
    system = next((name for sign, name in SYSTEMS if sign in user_agent), "")
    return ", ".join(filter(None, (browser, system)))
