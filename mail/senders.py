"""Whom mails come from, as mail programs show it."""

from __future__ import annotations

from email.utils import parseaddr, quote


def named_sender(sender: str, name: str) -> str:
    """The sender of mails; one that is only an address gets the site's name."""
    shown, address = parseaddr(sender)
    return sender if shown or not address else f'"{quote(name)}" <{address}>'
