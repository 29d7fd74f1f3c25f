"""A folded template says what Django makes of it, whatever it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.template import Context, Engine, Template, engines
from django.templatetags.i18n import TranslateNode
from django.urls import set_script_prefix
from django.utils.functional import SimpleLazyObject, lazy
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy, override

from pages.folding import MOST_FORMS, Folding, folded
from tests.rows import every_row

pytestmark = pytest.mark.usefixtures("static_files")
BUILTINS = [
    "django.templatetags.i18n",
    "django.templatetags.static",
    "django.templatetags.l10n",
    "pages.templatetags.times",
]
LIBRARIES = {"i18n": BUILTINS[0]}
LOCMEM = "django.template.loaders.locmem.Loader"


@dataclass
class Person:
    name: str
    friends: tuple[Person, ...] = ()

    def greeting(self) -> str:
        return f"I am {self.name}"

    def remove(self) -> str:
        raise AssertionError("no template is to ask this")

    remove.alters_data = True  # type: ignore[attr-defined]

    def wants(self, something: str) -> str:
        return something

    @property
    def broken(self) -> str:
        raise AttributeError("inside")

    @property
    def away(self) -> str:
        raise Away


class Away(Exception):
    silent_variable_failure = True


ANN = Person("Ann & <Bo>", (Person("Cy"), Person("Di")))
NAMES: dict[str, Any] = {
    "person": ANN,
    "people": [ANN, Person("Eve", (Person("Flo"),))],
    "pairs": [("a", 1), ("b", 2000)],
    "none": None,
    "empty": [],
    "text": "<b>",
    "safe": mark_safe("<b>"),
    "number": 1234567,
    "share": 0.5,
    "later": gettext_lazy("Home"),
    "later_safe": lazy(lambda: mark_safe("<i>"), str)(),
    "later_unsafe": lazy(lambda: "<i>", str)(),
    "sign": "info",
    "table": {"key": "value", "name": "in the table"},
    "stream": "a stream",
    "votes": True,
    "asked": lambda: "an <answer>",
    "asked_for_several": lambda: ["one", "two"],
    "nobody_may_ask": ANN.remove,
    "lazy_person": SimpleLazyObject(lambda: ANN),
    "lazy_table": SimpleLazyObject(lambda: {"name": "a key", "keys": "too"}),
    "begun": datetime(2026, 1, 1, tzinfo=UTC),
    "ends": datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
}
PARTS = {
    **{
        name: (Path(settings.BASE_DIR) / "templates" / name).read_text()
        for name in ("pages/parts/time.html", "pages/parts/countdown.html")
    },
    "frame": "<title>{% block title %}Title{% endblock %}</title>{% block outer %}[{% block inner %}"
    "inner{% endblock %}]"
    "{% endblock %}{% if votes %}{% block chosen %}chosen{% endblock %}{% endif %}",
    "middle": '{% extends "frame" %}{% block inner %}middle {{ block.super }}{% endblock %} nobody sees this',
    "sign": '{% if name == "info" %}(i){% elif name == "error" %}(!){% else %}({{ name }}){% endif %}',
    "shout": "{{ what|upper }}{% with what=what|lower %}{{ what }}{% endwith %}",
    "named": '{% translate "Home" as what %}{{ what }} {{ name }}',
    "branch": "{{ person.name }}{% for person in person.friends %}({% include 'branch' %}){% endfor %}",
    "shadows": "{% for name in empty %}{% empty %}{{ name }}{% endfor %}{% for name in pairs %}"
    "{{ name.0 }}{% endfor %}"
    '{% with name=text %}{{ name }}{% endwith %}{% if name == "x" %}x{% endif %}',
}
TEMPLATES = {
    "texts": "a{# nobody #}b{% comment %}c{% endcomment %}{% load i18n %}d",
    "translated": '{% translate "Home" %} {% translate "Up" context "rank" %} {% translate text %} '
    '{% translate "Home" as home %}{{ home }} {{ _("Home") }} {% translate "100 % of <b>" %}',
    "sentences": "{% blocktranslate %}Home{% endblocktranslate %}"
    "{% blocktranslate with x=person.name %}Hello {{ x }} and {{ text }}, 5 %{% endblocktranslate %}"
    "{% blocktranslate trimmed %}\n  Counted by: {{ nobody }}.\n{% endblocktranslate %}"
    "{% with name='{name}' %}{% blocktranslate %}{{ name }}, not ranked{% endblocktranslate %}{% endwith %}"
    "{% blocktranslate asvar said %}Home{% endblocktranslate %}{{ said }}",
    "plurals": "{% for pair in pairs %}{% blocktranslate count n=pair.1 %}{{ n }} vote of {{ text }}{% plural %}"
    "{{ n }} votes of {{ text }}{% endblocktranslate %}{% endfor %}",
    "addresses": '{% url "home" %}{% url "election" "A & B/é" %}{% url "election" name=person.name %}'
    '{% url "nowhere" as gone %}[{{ gone }}]{% static "css/base.css" %}{% static "css/base.css" as file %}{{ file }}',
    "values": "{{ person.name }}{{ text }}{{ safe }}{{ number }}{{ share }}{{ none }}{{ nobody }}{{ person.nobody.x }}"
    "{{ table.key }}{{ table.items|length }}{{ table.name }}{{ people.1.name }}{{ people.9.name }}"
    "{{ text.0 }}{{ table.0 }}{{ number.0 }}{{ person.greeting }}"
    "{{ person.remove }}{{ person.wants }}{{ 5 }}{{ 'quoted <b>' }}{{ votes }}{{ text.upper }}"
    "{{ later }}{{ later_safe }}{{ later_unsafe }}{% autoescape off %}{{ later_unsafe }}{% endautoescape %}",
    "filters": '{{ text|default:"x" }}{{ nobody|default:"x & y" }}{{ nobody|default:text }}{{ text|safe|upper }}'
    "{{ person.name|truncatechars:4 }}{{ text|force_escape }}{{ people|length }}{{ number|add:1 }}{{ text|add:safe }}"
    '{{ none|default_if_none:"none" }}{{ people|join:", " }}',
    "conditions": "{% if person %}1{% endif %}{% if nobody %}2{% else %}3{% endif %}{% if none is None %}4{% endif %}"
    "{% if number > 5 and text == '<b>' %}5{% endif %}{% if nobody > 5 or votes %}6{% endif %}"
    "{% if not empty %}7{% endif %}"
    "{% if 'key' in table %}8{% endif %}{% if text in number %}9{% elif people|length == 2 %}10{% endif %}"
    "{% if nobody in nowhere %}11{% endif %}{% if text|default:nobody %}12{% endif %}{% if 1 %}"
    "13{% else %}14{% endif %}"
    "{% if nobody|default:nowhere %}15{% else %}16{% endif %}{% if number != 5 and not nobody %}17{% endif %}"
    "{% if none is not None %}18{% endif %}{% if 'x' not in table %}19{% endif %}{% if number <= 5 %}"
    "{% elif number >= 5 %}20{% endif %}",
    "loops": "{% for p in people %}{{ forloop.counter }}/{{ forloop.revcounter }}{% if forloop.first %}f{% endif %}"
    "{% if forloop.last %}l{% endif %}{{ p.name }}{% for q in p.friends %}"
    "{{ forloop.parentloop.counter }}.{{ forloop.counter0 }}"
    "{{ q.name }}{% endfor %}{% endfor %}{{ p }}{{ forloop }}{% for a, b in pairs reversed %}{{ a }}{{ b }}"
    "{{ forloop.revcounter0 }}{% endfor %}{% for x in empty %}{% empty %}none{% endfor %}"
    "{% for x in nobody %}{% empty %}no{% endfor %}"
    "{% for key, value in table.items %}{{ key }}{{ value }}{% endfor %}{% for letter in stream %}"
    "{{ letter }}{% endfor %}",
    "loops in loops": "{% for p in people %}{% for q in p.friends %}{% with r=q.name %}{{ r }}{% for s in pairs %}"
    "{{ r }}{{ s.0 }}{{ forloop.parentloop.parentloop.counter }}{% endfor %}{{ forloop.last }}{% endwith %}{{ r }}"
    "{% endfor %}{{ q }}{% for x in empty %}{% empty %}{% for y in pairs %}{{ y.1 }}{{ forloop.counter }}{% endfor %}"
    "{% for y in nobody %}{% empty %}-{% endfor %}{% endfor %}{{ forloop.counter }}{% endfor %}"
    "{% for x in asked_for_several %}{{ x }}{% endfor %}{% for x in table.items reversed %}{{ x.0 }}{% endfor %}",
    "methods": "{{ asked }}{% if asked %}1{% endif %}{% if not asked %}2{% endif %}[{{ nobody_may_ask }}]"
    "{% if nobody_may_ask %}3{% else %}4{% endif %}{% with said=asked %}{{ said }}{% endwith %}{{ person.away }}"
    "{% if person.away %}5{% endif %}{% if not person.away %}6{% endif %}{{ lazy_person.name }}{{ lazy_table.name }}"
    "{{ lazy_table.keys }}{{ lazy_person.friends.1.name }}{% if lazy_person.nobody %}7{% endif %}",
    "texts of all kinds": "'\"\\ \\n {x} {{ text }}%s %(x)s\n\t"
    + 3 * "'"
    + 3 * '"'
    + " ä\u2028😀\ud800{% if votes %}{% else %}{% endif %}\r\n",
    "scopes": "{% with person=text other=person.name %}{{ person }}{{ other }}{% with other='x' %}"
    "{{ other }}{% endwith %}"
    "{{ other }}{% endwith %}{{ person.name }}{{ other }}",
    "included": '{% include "sign" with name="info" %}{% include "sign" with name=sign %}{% include "sign" %}'
    '{% include "sign" with name=_("Home") %}{% include "shout" with what=person.name %}{{ what }}'
    '{% include "shout" with what=text only %}{% include "shadows" with name="x" %}',
    "that give names": '{% include "named" with name="Ann" %}[{{ what }}]{% include "named" %}',
    "by a variable": '{% with part="sign" %}{% include part with name="error" %}{% endwith %}',
    "that include themselves": '{% include "branch" %}',
    "framed": '{% extends "frame" %}{% load i18n %}{% block title %}{% translate "Home" %}'
    ": {{ block.super }}{% endblock %}",
    "framed twice": '{% extends "middle" %}{% block inner %}innermost {{ block.super }}{% endblock %}'
    "{% block chosen %}{% endblock %}",
    "framed around": '{% extends "middle" %}{% block outer %}'
    'around {{ block.super }}{% translate "Home" as what %}{% endblock %}'
    "{% block chosen %}{{ what }}{% endblock %}",
    "included frames": '{% include "middle" %}{% include "frame" with votes=none %}',
    "other tags": "{% autoescape off %}{{ text }}{% translate 'Home' %}{% endautoescape %}{% firstof nobody text %}"
    "{% for p in people %}{% cycle 'a' 'b' %}{% ifchanged p.name %}c{% endifchanged %}{% endfor %}"
    "{% filter upper %}{{ text }}x{% endfilter %}"
    "{% localize on %}{{ number }}{% endlocalize %}{% get_current_language as code %}"
    "{{ code }}{% now 'Y' as year %}[{% spaceless %}{{ text }}{% endspaceless %}]",
    "parts of tags": '{% election_time ends "Europe/Berlin" %}{% election_time moment=ends zone_name="Nowhere" %}'
    '{% countdown ends "opening" now=begun %}{% for p in people %}{% countdown begun now=ends %}{% endfor %}',
    "tokens": "{% csrf_token %}",
}


def engine(*, folds: bool) -> Engine:
    loader = "pages.folding.Loader" if folds else "django.template.loaders.cached.Loader"
    return Engine(loaders=[(loader, [(LOCMEM, PARTS | TEMPLATES)])], builtins=BUILTINS, libraries=LIBRARIES)


FOLDED, PLAIN = engine(folds=True), engine(folds=False)


@every_row("language", ["en", "en-gb", "de"])
@every_row("name", TEMPLATES)
def test_says_what_django_says(name: str, language: str) -> None:
    with override(language):
        for more in ({}, {"csrf_token": "a<b"}, {"csrf_token": "NOTPROVIDED"}, {"votes": False, "sign": "error"}):
            expected = PLAIN.render_to_string(name, NAMES | more)
            for _ in range(2):
                assert FOLDED.render_to_string(name, NAMES | more) == expected


def test_without_escaping_too() -> None:
    for name in TEMPLATES:
        contexts = [Context(dict(NAMES), autoescape=False) for _ in range(2)]
        assert FOLDED.get_template(name).render(contexts[0]) == PLAIN.get_template(name).render(contexts[1])


@pytest.mark.parametrize(
    "source", ["{{ person.broken }}", '{% url "nowhere" %}', "{% for a, b in people %}{% endfor %}"]
)
def test_fails_as_django_fails(source: str) -> None:
    templates = [(LOCMEM, {"it": source})]
    plain = Engine(loaders=[("django.template.loaders.cached.Loader", templates)])
    folding = Engine(loaders=[("pages.folding.Loader", templates)])
    with pytest.raises(Exception) as expected:  # noqa: PT011 - whatever it is, it is the same
        plain.render_to_string("it", NAMES)
    with pytest.raises(expected.type):
        folding.render_to_string("it", NAMES)


def test_what_goes_wrong_is_said_of_its_template() -> None:
    templates = [(LOCMEM, {"it": "{% if votes %}{{ person.broken }}{% endif %}"})]
    with pytest.raises(AttributeError) as failed, override("en"):
        Engine(loaders=[("pages.folding.Loader", templates)]).render_to_string("it", NAMES)
    assert "<it in en>" in [entry.frame.code.raw.co_filename for entry in failed.traceback]


def test_nothing_is_translated_twice() -> None:
    FOLDED.render_to_string("framed", NAMES)
    with patch.object(TranslateNode, "render", side_effect=AssertionError("again")):
        assert "Home" in FOLDED.render_to_string("framed", NAMES)


def test_a_template_that_was_loaded_speaks_the_language_of_whoever_reads_it() -> None:
    template = FOLDED.get_template("translated")
    with override("de"):
        german = template.render(Context(NAMES))
    with override("en"):
        assert template.render(Context(NAMES)) == PLAIN.render_to_string("translated", NAMES) != german


def test_addresses_begin_where_the_site_lies() -> None:
    try:
        for prefix in ("/", "/votes/"):
            set_script_prefix(prefix)
            assert FOLDED.render_to_string("addresses", NAMES).startswith(f"{prefix}{prefix}election/")
    finally:
        set_script_prefix("/")


def test_what_is_kept_of_a_template_has_a_bound() -> None:
    template = FOLDED.get_template("addresses")
    try:
        for number in range(3 * MOST_FORMS):
            set_script_prefix(f"/{number}/")
            template.render(Context(NAMES))
            assert len(template.nodelist.left) <= MOST_FORMS
    finally:
        set_script_prefix("/")


def test_a_template_made_from_text_fills_a_folded_frame() -> None:
    text = '{% extends "middle" %}{% block inner %}from text {{ block.super }}{% endblock %}'
    said = Template(text, engine=FOLDED).render(Context(NAMES))
    assert said == Template(text, engine=PLAIN).render(Context(NAMES))
    assert "from text middle inner" in said


def test_mistakes_are_pointed_out_where_they_are_to_be() -> None:
    loaders = [("pages.folding.Loader", [(LOCMEM, PARTS)])]
    assert not isinstance(Engine(loaders=loaders, debug=True).get_template("frame").nodelist, Folding)


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_template_of_ours_can_be_folded(language: str) -> None:
    """A block in a tag that folding does not know could not be filled."""
    folder = Path(settings.BASE_DIR) / "templates"
    names = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    assert len(names) > 200
    with override(language):
        for name in names:
            folded(engines["django"].engine.get_template(name))
