"""What other sites show of ours: pages in frames, and pictures."""

from __future__ import annotations

import re

from django import forms
from django.conf import settings
from django.http import HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from acts.links import absolute_url

from . import logo
from .fields import LinesField

MAX_PREVIEW_CHARS = 200  # characters that fit into a preview
HOST = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")
SECONDS_PER_YEAR = 365 * 24 * 3600
WITHOUT_SCRIPTS = {"script-src": "'none'", "connect-src": "'none'"}


class FramesForm(forms.Form):
    """The sites that may show a page in a frame."""

    hosts = LinesField(
        label=_("Sites, one per line"),
        required=False,
        max_length=500,
        rows=3,
        attributes={"dir": "ltr", "placeholder": "www.example.org"},
        help_text=_("Host names only. If it is empty, no other site may show it."),
    )

    @staticmethod
    def initial_of(hosts: str) -> dict[str, str]:
        return {"hosts": hosts.replace(" ", "\n")}

    def clean_hosts(self) -> str:
        try:
            return checked_hosts(self.cleaned_data["hosts"])
        except ValueError as error:
            raise forms.ValidationError(_("“%(word)s” is not a host name.") % {"word": error}) from None


def embeddable(response: HttpResponse) -> HttpResponse:
    """A page that every other site may show in a frame. It runs no scripts."""
    return _framed(response, "*", **WITHOUT_SCRIPTS)


def framed_by(response: HttpResponse, hosts: str, **policy: str) -> HttpResponse:
    """A page that these hosts, with spaces between, may show in a frame; without any, no site may.

    It must have no forms and set no cookies, so that a site around it can neither press its buttons nor learn anything
    about the visitor, whose own cookies browsers do not send from inside a frame.
    """
    return _framed(response, " ".join(f"https://{host}" for host in hosts.split()), **policy) if hosts else response


def _framed(response: HttpResponse, ancestors: str, **policy: str) -> HttpResponse:
    policy = settings.CONTENT_SECURITY_POLICY | policy | {"frame-ancestors": ancestors}
    response["Content-Security-Policy"] = "; ".join(f"{name} {value}" for name, value in policy.items())
    response.xframe_options_exempt = True
    return cross_origin(response)


def checked_hosts(text: str) -> str:
    """Host names with spaces between, as DNS has them; raises `ValueError` with the first that is none."""
    found = []
    for word in text.lower().split():
        name, _colon, port = word.removeprefix("https://").rstrip("/").partition(":")
        try:
            host = name.encode("idna").decode()
        except UnicodeError:
            raise ValueError(word) from None
        if not HOST.fullmatch(host) or (port and not 0 < int(port if port.isdecimal() else 0) < 65536):
            raise ValueError(word)
        found.append(f"{host}:{port}" if port else host)
    return " ".join(dict.fromkeys(found))


def cross_origin(response: HttpResponse) -> HttpResponse:
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def site_picture() -> str:
    """The preview picture of a link to a page without one of its own: the operator's logo, or ours. Other sites take no
    SVG."""
    own = logo.read(settings.SITE_LOGO) if settings.SITE_LOGO else None
    if own is not None and own.kind == "image/png":
        return absolute_url(reverse("site_logo", args=[own.edition]))
    return absolute_url(static("img/apple-touch-icon.png"))


def immutable(response: HttpResponse) -> HttpResponse:
    """Cached for a year: the URL changes with the content."""
    response["Cache-Control"] = f"public, max-age={SECONDS_PER_YEAR}, immutable"
    return cross_origin(response)
