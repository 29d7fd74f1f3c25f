"""The template environment: what is compiled into a template, what is escaped, and what is an error."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path

import pytest
from django.conf import settings
from django.template import engines
from django.template.backends.jinja2 import Jinja2
from django.urls import set_script_prefix
from django.utils.translation import gettext, override
from jinja2 import DictLoader, UndefinedError

from config.jinja import environment
from tests.rows import every_row

BACKEND = engines["jinja2"]


def rendered(source: str, **values: object) -> str:
    return BACKEND.from_string(source).render(values)


def of_files(**files: str):
    texts = {name.replace("__", "."): text for name, text in files.items()}
    return environment(loader=DictLoader(texts))


def test_there_is_one_engine():
    assert [type(each) for each in engines.all()] == [Jinja2]


@pytest.mark.parametrize("language", ["en", "de"])
def test_under_debug_templates_are_compiled_as_in_production(settings, language):
    settings.DEBUG = True
    under_debug = compiled_results_page(language)
    settings.DEBUG = False
    assert under_debug == compiled_results_page(language)


def compiled_results_page(language: str) -> tuple[object, ...]:
    """By an engine made from the settings as they are now: what it is told, and the Python it writes."""
    (options,) = deepcopy(settings.TEMPLATES)
    del options["BACKEND"]
    with override(language):
        made = Jinja2({"NAME": "jinja2", **options}).env.active()
        source, filename, _ = made.loader.get_source(made, "results/results.html")
        return made.auto_reload, made.undefined, made.compile(source, "results/results.html", filename, raw=True)


def test_a_template_is_compiled_for_every_language():
    made = of_files(page__html='{{ _("Sign in") }}')
    assert made.get_template("page.html").render() == "Sign in"
    with override("de"):
        assert made.get_template("page.html").render() == gettext("Sign in") == "Anmelden"
    assert made.get_template("page.html").render() == "Sign in"


def test_what_is_included_or_extended_is_of_the_same_language():
    made = of_files(
        page__html='{% extends "frame.html" %}{% block it %}{% include "part.html" %}{% endblock %}',
        frame__html='{{ _("Home") }} {% block it %}{% endblock %}',
        part__html='{{ _("Sign in") }}',
    )
    assert made.get_template("page.html").render() == "Home Sign in"
    with override("de"):
        assert made.get_template("page.html").render() == "Start Anmelden"


FILES = {
    "page__html": '{% set name = "Ada" %}{% with title="Board" %}{% include "part.html" %}{% endwith %} {{ name }}',
    "part__html": '{% set name = name|default("") %}{{ name }}, {{ title }}: {% include "inner.html" %} {{ name }}\n',
    "inner__html": '{% set name = "Grace" %}<b>{{ name }}</b>{% include "choices.html" %}',
    "choices__html": "{% block choices %}!{% endblock %}",
}


def test_what_is_included_sees_all_names_and_changes_none():
    made = of_files(**FILES)
    assert made.get_template("page.html").render() == "Ada, Board: <b>Grace</b>! Ada\n Ada"


def test_an_include_is_resolved_when_a_template_is_compiled_unless_it_has_blocks():
    made = of_files(**FILES)
    made.get_template("page.html").render()
    assert {name for _loader, name in made.active().cache} == {"page.html", "choices.html"}


def test_an_address_is_below_the_path_of_the_site():
    made = of_files(page__html='{{ url("home") }} {{ url("election", name) }}')
    assert made.get_template("page.html").render(name="Board") == "/ /election/Board/"
    set_script_prefix("/vote/")
    try:
        assert made.get_template("page.html").render(name="Board") == "/vote/ /vote/election/Board/"
    finally:
        set_script_prefix("/")


@every_row(
    ("source", "said"),
    [
        ('{{ _("Sign in") }}', "Sign in"),
        ("{{- _('Sign in') -}}  ", "Sign in"),
        ('{{ pgettext("rank", "Up") }}', "Up"),
        ('{{ _("Only 100%% of %% count") }}', "Only 100% of % count"),
        ('{{ _(word) }}', "Sign in"),
        ('{{ _("Sign in") ~ "!" }}', "Sign in!"),
        ('{{ _("Sign in") ~ name }}', "Sign in&lt;b&gt;"),
        ('{% with title=_("A <b>bold</b> word") %}{{ title }}{% endwith %}', "A <b>bold</b> word"),
        ('{% if _("Sign in") == word %}{{ [_("Up"), _("100%%")]|join("&") }}{% endif %}', "Up&amp;100%"),
        ('{{ _("A <b>bold</b> word") }}', "A <b>bold</b> word"),
        ('{% trans %}Hello {{ name }}{% endtrans %}', "Hello &lt;b&gt;"),
        ('{% trans n=2 %}{{ n }} seat{% pluralize n %}{{ n }} seats{% endtrans %}', "2 seats"),
    ],
)  # fmt: skip
def test_a_sentence_of_ours_is_html_and_what_stands_in_it_is_text(source, said):
    assert rendered(source, word="Sign in", name="<b>") == said


@pytest.mark.deep
def test_constants_and_values_give_the_same(static_files):
    for call, values in (("icon('check')", ""), ("static('css/base.css')", ""), ("url('home')", "")):
        assert rendered(f"{{{{ {call} }}}}") == rendered(f"{{{{ {call} ~ none_of_it }}}}", none_of_it=values)


def test_pages_escape_and_the_text_of_a_mail_does_not():
    made = of_files(page__html="{{ name }}", feed__xml="{{ name }}", letter__txt="{{ name }}")
    shown = {name: made.get_template(name).render(name="<b>") for name in made.list_templates()}
    assert shown == {"page.html": "&lt;b&gt;", "feed.xml": "&lt;b&gt;", "letter.txt": "<b>"}


@pytest.mark.parametrize("source", ["{{ nobody }}", "{% if nobody %}{% endif %}", "{{ user.nothing }}"])
def test_a_name_that_is_not_there_is_an_error_in_tests(source):
    with pytest.raises(UndefinedError):
        rendered(source, user=object())


@pytest.mark.deep
@pytest.mark.seconds(8)
def test_every_template_compiles(site):
    for name in BACKEND.env.list_templates():
        BACKEND.get_template(name)


def test_a_date_is_written_as_the_reader_writes_it():
    with override("de"):
        assert rendered('{{ "2026-11-17T13:05:00Z"|moment|date("DATETIME_FORMAT") }}') == "17. November 2026 13:05"


METHODS = (
    "as_field_group",
    "get_full_path",
    "hidden_fields",
    "items",
    "non_field_errors",
    "optgroups",
    "visible_fields",
)


def test_methods_are_called():
    """Jinja calls nothing by itself: a method without its brackets is always true."""
    uncalled = re.compile(rf"\.(?:{'|'.join(METHODS)})\b(?![(\w=])")
    for path in (Path(settings.BASE_DIR) / "templates").rglob("*.html"):
        code = " ".join(re.findall(r"{[{%](.*?)[%}]}", path.read_text(), re.DOTALL))
        code = re.sub(r'"[^"]*"', "", code).replace("widget.optgroups", "")
        assert not uncalled.search(code), path
