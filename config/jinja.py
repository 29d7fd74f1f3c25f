"""The template environment: Jinja2, with the functions of all apps that templates may call, and the site's state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, MutableMapping
from datetime import date, datetime
from functools import lru_cache, partial
from itertools import takewhile
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.template import defaultfilters
from django.templatetags.static import static
from django.urls import get_script_prefix
from django.utils.formats import localize, number_format
from django.utils.html import json_script
from django.utils.safestring import mark_safe
from django.utils.timezone import is_aware, localtime
from django.utils.translation import (
    get_language,
    get_language_bidi,
    gettext,
    ngettext,
    npgettext,
    pgettext,
)
from jinja2 import Environment, Template, select_autoescape
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import escape

from elections.panels import asking_hint, where_to_ask
from elections.rolls import voter_label
from foundation.acts import features, pause
from foundation.mail import outbox
from foundation.pages import markdown, names, served_files, times
from foundation.pages.fragments import cached_include
from foundation.pages.paths import path_below, path_of, section_of
from foundation.pages.served_files import icon
from foundation.parts import lists_of, parts, shown_at
from foundation.ranking.candidates import choice_list
from operations.upkeep import system
from results.pictures import arrange_pictures
from results.wording import translate

from . import proxies

GLOBALS: dict[str, Callable[..., Any]] = {
    "asking_hint": asking_hint,
    "blocking_script": served_files.blocking_script,
    "cached_include": cached_include,
    "choice_list": choice_list,
    "countdown": times.countdown,
    "election_time": times.election_time,
    "get_language": get_language,
    "get_language_bidi": get_language_bidi,
    "icon": icon,
    "integrity": served_files.integrity,
    "is_on": features.is_on,
    "lists_of": lists_of,
    "script": served_files.script,
    "section_of": section_of,
    "shown_at": shown_at,
    "static": static,
    "stylesheet": served_files.stylesheet,
    "url": path_of,
    "where_to_ask": where_to_ask,
}
FILTERS = {
    "arranged": arrange_pictures,
    "capfirst": defaultfilters.capfirst,
    "clock_in_zone": times.clock_in_zone,
    "day": times.day,
    "described": markdown.description_html,
    "filesizeformat": defaultfilters.filesizeformat,
    "floatformat": defaultfilters.floatformat,
    "grouped": partial(number_format, force_grouping=True),
    "in_zone": times.in_zone,
    "initials": names.initials,
    "json_script": json_script,
    "linebreaks": defaultfilters.linebreaks_filter,
    "linebreaksbr": defaultfilters.linebreaksbr,
    "localize": localize,
    "mail_note": outbox.note_text,
    "mail_reason": outbox.reason_text,
    "mail_state": outbox.state_label,
    "moment": times.moment,
    "explained": translate,
    "shortened": names.shortened,
    "striptags": defaultfilters.striptags,
    "subject": outbox.mail_title,
    "timesince": defaultfilters.timesince_filter,
    "truncatechars": defaultfilters.truncatechars,
    "urlencode": defaultfilters.urlencode,
    "urlize": defaultfilters.urlize,
    "voter_label": voter_label,
    "zone_label": times.zone_label,
}


# Functions whose result depends only on their arguments, the language and the path of the site.
CONSTANT: dict[str, Callable[..., str]] = {
    "_": lambda message: mark_safe(gettext(message) % ()),  # noqa: S308 - ours, with percent signs doubled
    "blocking_script": served_files.blocking_script,
    "icon": icon,
    "integrity": served_files.integrity,
    "pgettext": lambda context, message: mark_safe(pgettext(context, message) % ()),  # noqa: S308 - likewise
    "script": served_files.script,
    "static": static,
    "stylesheet": served_files.stylesheet,
    "url": path_of,
}
MAX_MESSAGES = 4000  # of templates, in each language
CONSTANT_CALL = re.compile("name lparen string( comma string)* rparen")


class OneLanguage(Environment):
    """Its templates all have the same globals, so they share the dictionary. Jinja2 puts an empty one in front of it
    for each template, and every page copies the two entry by entry: 2 per cent of its processor time in Django."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        return super().make_globals(d) if d else self.globals


class Multilingual(Environment):
    """Compiles each template once for every language and path of the site, in an environment for each."""

    def __init__(self, **options: Any):
        super().__init__(**options)
        self.options = options
        self.compiled: dict[tuple[str | None, str], Environment] = {}

    def active(self) -> Environment:
        """The environment for the active language and path."""
        key = get_language(), get_script_prefix()
        if key not in self.compiled:
            self.compiled[key] = made = _configure(OneLanguage(**self.options))
            made.globals["url"] = partial(path_below, get_script_prefix())
            remember = lru_cache(MAX_MESSAGES, typed=True)  # Django looks for each in up to four catalogues
            made.install_gettext_callables(  # type: ignore[attr-defined]
                remember(gettext), ngettext, newstyle=True, pgettext=remember(pgettext), npgettext=npgettext
            )
        return self.compiled[key]

    def compile_ahead(self, name: str) -> None:
        """Compile a template with all that it may load, for the active language and path."""
        environment = self.active()
        assert environment.loader
        source, filename, _ = environment.loader.get_source(environment, name)
        environment.get_template(name)
        inlined = environment.preprocess(source, name, filename)
        places = SHOWN_AT.findall(inlined)
        of_parts = (part.places_template for part in parts() if not set(places).isdisjoint(part.places))
        for other in (*LOADED_LATER.findall(inlined), *of_parts):
            self.compile_ahead(other)

    def get_template(self, name: Any, parent: str | None = None, globals: Any = None) -> Template:
        return self.active().get_template(name, parent, globals)

    def from_string(self, source: Any, globals: Any = None, template_class: type[Template] | None = None) -> Template:
        return self.active().from_string(source, globals, template_class)


LOADED_LATER = re.compile(r'(?:{%-? *(?:extends|include|import|from)|cached_include\() *"([^"]+)"')
SHOWN_AT = re.compile(r'shown_at\("([^"]+)"\)')
INCLUDE = re.compile(r'{% include "([^"]+)" %}')
NOT_INLINABLE = re.compile("{%-? *(block|extends)")  # not allowed in an included template


class Includes(Extension):
    """Inlines included templates. At run time each include costs a lookup and a new context, together 6 to 8 per cent
    of the processor time of a page in Django."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return INCLUDE.sub(self._inlined, source)

    def _inlined(self, tag: re.Match[str]) -> str:
        assert self.environment.loader
        source, filename, _ = self.environment.loader.get_source(self.environment, tag[1])
        if NOT_INLINABLE.search(source):
            return tag[0]
        return f"{{% with %}}{self.preprocess(source, tag[1], filename)}{{% endwith %}}"


class Constants(Extension):
    """Evaluates `{{ _("Sign in") }}` or `{{ url("home") }}` when a template is compiled.

    Most of a page is such text. Looked up on every request it adds 40 to 50 per cent to the processor time of a page in
    Django, and 25 per cent to that of a cast.
    """

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        for token in stream:
            if token.type != "variable_begin":
                yield token
                continue
            inside = [*takewhile(lambda each: each.type != "variable_end", stream)]
            if CONSTANT_CALL.fullmatch(" ".join(each.type for each in inside)) and inside[0].value in CONSTANT:
                arguments = [each.value for each in inside[2::2]]
                yield Token(token.lineno, "data", escape(CONSTANT[inside[0].value](*arguments)))
            else:
                yield from (token, *inside, Token(token.lineno, "variable_end", ""))


def environment(**options: Any) -> Environment:
    """Called by Django's template backend, with the options from the settings."""
    options |= {"autoescape": select_autoescape(disabled_extensions=["txt"], default=True)}
    extensions = ["jinja2.ext.i18n", Includes, Constants]
    return _configure(Multilingual(extensions=extensions, keep_trailing_newline=True, cache_size=-1, **options))


def _configure(made: Environment) -> Environment:
    made.install_gettext_callables(gettext, ngettext, newstyle=True, pgettext=pgettext, npgettext=npgettext)  # type: ignore[attr-defined]
    made.globals |= GLOBALS | {"languages": settings.LANGUAGES}
    made.filters |= FILTERS | {"date": _date}
    for part in parts():
        words = part.template_words()
        made.globals |= words.values
        made.filters |= words.filters
    return made


def _date(value: date | str | None, form: str | None = None) -> str:
    """Like Django's filter, which expects a time in the site's zone."""
    is_moment = isinstance(value, datetime) and is_aware(value)
    return defaultfilters.date(localtime(value) if is_moment else value, form)


def site_state(request: HttpRequest) -> dict[str, Any]:
    """Context for every page: the pause for the banner, if any, and lazily loaded warnings for the pages about the
    site."""
    return {
        "site_pause": pause.cache.last_known(),
        "unknown_proxies": proxies.watch.recent_addresses,
        "low_disks": system.low_disks,
    }
