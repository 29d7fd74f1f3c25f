"""The first owner of a site, from the machine it runs on."""

import sys
from argparse import ArgumentParser
from getpass import getpass
from typing import Any

from django.core.management.base import CommandError

from accounts import services, setup_link
from accounts.forms import RegisterForm
from acts.refusals import Refusal
from upkeep.commands import StoreCommand

THERE = "This site already has an owner, who can hand it over on another person's page."


class Command(StoreCommand):
    help = (
        "Makes the owner of a site that has none. The password is asked for twice, or read from standard input; "
        "or a link is printed that makes whoever opens it the owner, once and within 24 hours."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", help="the user name")
        parser.add_argument("email", nargs="?", help="the email address")
        way = parser.add_mutually_exclusive_group()
        way.add_argument("--password-stdin", action="store_true", help="read the password from standard input")
        way.add_argument("--link", action="store_true", help="print a one-time link instead")

    def handle(
        self, name: str | None, email: str | None, *, password_stdin: bool = False, link: bool = False, **options: Any
    ) -> None:
        if link:
            self._print_link()
        elif not name or not email:
            raise CommandError("Give the name and the email address, or --link.")
        else:
            self._make(name, email, _from_input() if password_stdin else _asked_twice())

    def _print_link(self) -> None:
        if (printed := setup_link.new_link()) is None:
            raise CommandError(THERE)
        self.stdout.write(printed)

    def _make(self, name: str, email: str, password: str) -> None:
        form = RegisterForm({"name": name, "email": email, "password": password})
        if not form.is_valid():
            raise CommandError(" ".join(str(each) for errors in form.errors.values() for each in errors))
        try:
            owner = services.make_owner(**form.cleaned_data)
        except services.OwnerThere:
            raise CommandError(THERE) from None
        except Refusal as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(f"{owner.name} is the owner of this site.")


def _from_input() -> str:
    return sys.stdin.readline().rstrip("\r\n")


def _asked_twice() -> str:
    if not sys.stdin.isatty():
        raise CommandError("There is no terminal to ask for the password. Use --password-stdin or --link.")
    password = getpass("Password: ")
    if getpass("Once more: ") != password:
        raise CommandError("These were two different passwords. Nobody was made the owner.")
    return password
