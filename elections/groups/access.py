"""Who may open which page about a group: its owner. For everybody else it is not there, whatever their role."""

from __future__ import annotations

from typing import Any

from django.http import Http404

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission

from . import repository, rules
from .rules import Group


def _owned(user: User, group: Group) -> None:
    if not rules.owns(user.name, group):
        raise Http404


owned: Any = requires(Permission.USE_APPLICATION, load=repository.find, rule=_owned)
