"""Replaying events about the owner's notices and the code that the site serves."""

from __future__ import annotations

from acts.storage import table
from store import keys
from store.replay import Happened, Step
from store.schema import EventType

from . import notices, serving


def notice_edited(event: Happened) -> Step:
    return notices.writing(event.data, notices.find(notices.Subject(event.data["subject"])))


def code_served(event: Happened) -> Step:
    return serving.serving(event.data, table().get(keys.SERVED_CODE))


EVENTS = (
    EventType("NoticeEdited", notice_edited, "subject text changed_at"),
    EventType("CodeServed", code_served, "edition since files:list"),
)
