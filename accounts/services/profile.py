"""What somebody tells about themselves."""

from __future__ import annotations

from accounts import repository
from accounts.models import User
from acts.again import try_again
from acts.site import log
from store.log import Event


def change_profile(user: User, display_name: str, about: str) -> None:
    """Who saves last, wins; and the log has it in that order."""

    def save() -> None:
        now = as_now(user)
        if (now.display_name, now.about) == (display_name, about):
            return
        said = {"name": user.name, "display_name": display_name, "about": about}
        log().record(Event(user.name, "ProfileChanged", said), repository.profile_change(now, display_name, about))

    try_again(save)


def as_now(user: User) -> User:
    return repository.find(user.name) or user
