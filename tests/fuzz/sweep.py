"""A site on which every text is markup, every form of it sent with more, and every page read by Chromium's parser."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from itertools import product
from pkgutil import walk_packages
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core import mail as sent
from django.forms import BaseForm, CharField, FileField
from django.http import HttpResponse
from django.test import Client
from playwright.sync_api import Page

from accounts.rules import Role
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.store.schema import SCHEMA
from foundation.store.splitting import by_count
from results.front_page.site_page import Part
from tests.access import site as sites
from tests.access.site import Look, Site
from tests.access.table import without_haste
from tests.access.words import known, written_by
from tests.people import PASSWORD, make_person

from .filling import NEVER_SHOWN, Form, distinct, fill, forms_in
from .payloads import Payloads
from .reading import read

BATCH_ANSWERS = 25  # answers that Chromium reads at once
NOTHING_THERE = ("/{}", "/election/{}/", "/news/{}/", "/join/{}/", "/profile/{}/", "/?q={}")
ROW = re.compile(r"^(\w+-)?\d+-")  # before the name of a field, if it is in one of several rows


class Sweep:
    """What was found wrong so far, which texts were shown, and which forms there are."""

    def __init__(self, site: Site, payloads: Payloads, page: Page):
        self.site, self.payloads, self.page = site, payloads, page
        self.looks = [*site.looks, *_more_looks()]
        self.wrong: list[str] = []
        self.marks: set[str] = set()
        self.forms: list[Form] = []

    def look(self) -> None:
        """Every page, opened by whoever it is for."""
        self._read((f"{look.page} {look.of} for {look.who}", self._answer(look), look.who) for look in self.looks)

    def act(self) -> None:
        """What cannot be undone, each once."""
        self._read((f"{act.page} {act.of} by {act.who}", self._answer(act), act.who) for act in self.site.acts)

    def fill(self) -> None:
        """Every form that was met, with markup where people type, and once more with markup in everything else; then
        those that are on the pages that come of it."""
        filled: set[Any] = set()
        while forms := distinct(self.forms, filled):
            filled |= {form.mark for form in forms}
            self._read((f"{each.route}, sent", page, each.who) for each in forms for page in self._filled(each))

    def ask(self) -> None:
        """Every page that reads something from its address, with markup there; and addresses of nothing at all."""
        looks = [replace(each, asked=dict.fromkeys(each.asked, self._asked)) for each in self.looks if each.asked]
        self._read((f"{look.page} {look.of}, asked", self._answer(look), look.who) for look in looks)
        self._read(
            (f"{path} for {who}", self.site.browsers[who].get(path.format(quote(self._asked, safe=""))), who)
            for who, path in product(("stranger", "owner"), NOTHING_THERE)
        )

    def read_mails(self) -> None:
        """The HTML of every mail that went out."""
        send_waiting(compose)
        letters = [(each.subject, *letter) for each in sent.outbox for letter in each.alternatives]
        assert letters
        self._read((f"the mail {subject}", as_answer(html, kind), "") for subject, html, kind in letters)

    def shown_nowhere(self) -> set[str]:
        """Fields whose text no page has shown."""
        typed = {form.place(each["name"]): each["kind"] for form in self.forms for each in form.typed}
        places = [place for place, kind in typed.items() if kind not in NEVER_SHOWN and place in self.payloads.numbers]
        return {place for place in places if self.payloads.mark_of(place) not in self.marks}

    @property
    def _asked(self) -> str:
        return self.payloads.typed("an address", "text", 1000)

    def _answer(self, look: Look) -> Any:
        client = self.site.browsers[look.who]
        if look.form is None:
            return client.get(look.address, look.asked, follow=True)
        return client.post(look.address, look.form, follow=True)

    def _filled(self, form: Form) -> Iterator[Any]:
        return fill(form, self.site.browsers[form.who], self.payloads)

    def _read(self, answers: Iterable[tuple[str, Any, str]]) -> None:
        """Answers, each with what it is to be called and who got it; many at once, which takes less time."""
        for some in by_count(answers, BATCH_ANSWERS):
            for (what, answer, who), found in zip(some, read(self.page, *(each[1] for each in some)), strict=True):
                self.wrong += [f"{what}: {each}" for each in found.wrong]
                self.marks |= set(found.marks)
                self.forms += forms_in(found.forms, answer.request["PATH_INFO"], who) if who else []


def as_answer(html: str, kind: str = "text/html") -> Any:
    return HttpResponse(html, content_type=kind)


def _more_looks() -> list[Look]:
    """Pages of which one is enough for the table of access patterns, but which have other forms each."""
    of_election = {"election": known("Board")}
    return [
        *(Look("edit_site_page", "owner", (part.value,)) for part in Part),
        *(Look("table", "owner", (each.name,), asked=of_election) for each in SCHEMA.sheets.values()),
    ]


@contextmanager
def swept(page: Page) -> Iterator[Sweep]:
    """On the empty store that `settings.STORE_URL` names."""
    payloads = Payloads()
    with written_by(payloads.written), without_haste():
        yield Sweep(sites.build(), payloads, page)


def every_role(site: Site) -> dict[str, Client]:
    """The browsers of the site, and one for every role that nobody on it has."""
    for role in (Role.OBSERVER, Role.VOTER, Role.ADMIN, Role.AUDITOR):
        if role.name not in site.browsers:
            name, client = make_person(f"The {role.name}", role).name, Client(headers={"host": "localhost:8000"})
            assert client.post("/sign-in/", {"name_or_email": name, "password": PASSWORD}).status_code == 302
            site.browsers[role.name] = client
    return site.browsers


def forms_on_no_page(met: list[Form]) -> set[str]:
    """Forms of the program in which people type, of which no page has all these fields."""
    on_pages = [{ROW.sub("", name) for name in form.names} for form in met]
    return {
        f"{each.__module__}.{each.__name__}"
        for each in _form_classes()
        if not any(_typed(each) <= names for names in on_pages)
    }


def _typed(form: type[BaseForm]) -> set[str]:
    fields = form.base_fields.items()
    return {name for name, field in fields if isinstance(field, CharField | FileField) and not field.widget.is_hidden}


def _form_classes() -> Iterator[type[BaseForm]]:
    apps = [name for name in settings.INSTALLED_APPS if (settings.BASE_DIR / name.replace(".", "/")).is_dir()]
    for app in apps:
        for module in walk_packages(import_module(app).__path__, f"{app}."):
            if "forms" in module.name or "views" in module.name:
                import_module(module.name)
    ours = tuple(f"{app}." for app in apps)
    return (each for each in _below(BaseForm) if each.__module__.startswith(ours) and _typed(each))


def _below(parent: type) -> Iterator[type]:
    for each in parent.__subclasses__():
        yield each
        yield from _below(each)
