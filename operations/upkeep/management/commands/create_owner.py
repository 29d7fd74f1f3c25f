"""Make the first owner of a site, on the machine it runs on."""

import sys
from argparse import ArgumentParser
from getpass import getpass
from typing import Any

from django.core.management.base import CommandError

from accounts import services, setup_link
from accounts.forms import RegisterForm
from operations.upkeep.commands import StoreCommand

OWNER_EXISTS = "This site already has an owner, who can hand it over on another person's page."


class Command(StoreCommand):
    help = (
        "Makes the owner of a site that has none. Asks for the password twice, or reads it from standard input; or "
        "prints a link that works once within 24 hours and makes the person who opens it the owner."
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
            if (printed := setup_link.new_link()) is None:
                raise CommandError(OWNER_EXISTS)
            self.stdout.write(printed)
        elif not name or not email:
            raise CommandError("Give the name and the email address, or --link.")
        else:
            self._make(name, email, sys.stdin.readline().rstrip("\r\n") if password_stdin else _prompt_twice())

    def _make(self, name: str, email: str, password: str) -> None:
        form = RegisterForm({"name": name, "email": email, "password": password})
        if not form.is_valid():
            raise CommandError(" ".join(str(each) for errors in form.errors.values() for each in errors))
        try:
            owner = services.make_owner(**form.cleaned_data)
        except services.OwnerThere:
            raise CommandError(OWNER_EXISTS) from None
        self.stdout.write(f"{owner.name} is the owner of this site.")


def _prompt_twice() -> str:
    if not sys.stdin.isatty():
        raise CommandError("No terminal to ask for the password. Use --password-stdin or --link.")
    password = getpass("Password: ")
    if getpass("Repeat the password: ") != password:
        raise CommandError("The passwords differ. Nothing was changed.")
    return password
