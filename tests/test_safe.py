"""Where text is declared to be HTML already: in these few places, and in no template of a page."""

from __future__ import annotations

import re
from pathlib import Path

from django import forms
from django.conf import settings
from django.template import engines
from django.template.loader import render_to_string

from foundation.pages import markdown
from tests.people import make_owner
from tests.rows import every_row

ROOT = Path(settings.BASE_DIR)
IN_TEMPLATES = re.compile(r"\|\s*safe\b|\bautoescape\b|\bMarkup\b")
IN_CODE = re.compile(r"\b(?:mark_safe|SafeString|SafeText|html_safe|Markup)\(|__html__")
UNQUOTED = re.compile(r"<[a-z][^<>]*\s[\w:-]+=\{[{%]")

CODE = {
    "config/jinja.py": "sentences of ours that are translated when a template is compiled",
    "parts/letters/views.py": "letters, rendered one by one in their own languages",
    "foundation/pages/fragments.py": "what a template was rendered to, which has escaped its values",
    "foundation/pages/markdown.py": "what the cleaner let through, now or earlier; and a text that is escaped",
    "foundation/pages/qr.py": "a drawing made of numbers",
    "foundation/pages/site_views.py": "the field with the token of a form, which Django has written",
    "foundation/pages/times.py": "a countdown that Django has escaped, cut where the present time goes",
    "foundation/pages/fields.py": "options that Django has written",
    "foundation/ranking/candidates.py": "candidates that a template was rendered to, one after the other",
    "results/pictures/drawing.py": "elements whose attributes and texts are escaped there",
}


def test_no_template_takes_text_for_html():
    assert [path for path, text in templates() if IN_TEMPLATES.search(text)] == []


def test_every_template_escapes_but_the_text_of_a_mail():
    env = engines["jinja2"].env
    assert [path for path, _text in templates() if not env.autoescape(path)] == ["mail/email.txt"]


def test_no_template_puts_a_value_into_an_attribute_without_quotes():
    assert [path for path, text in templates() if UNQUOTED.search(text)] == []


def test_code_takes_text_for_html_in_these_places_only():
    modules = (
        path for app in sorted({each.parent for each in ROOT.glob("*/__init__.py")}) for path in app.rglob("*.py")
    )
    named = ((str(path.relative_to(ROOT)), path.read_text()) for path in modules if path.parts[-1] != "conftest.py")
    found = {name for name, text in named if not name.startswith("tests/") and IN_CODE.search(text)}
    assert found == set(CODE)


def templates() -> list[tuple[str, str]]:
    folder = ROOT / "templates"
    return [(str(path.relative_to(folder)), path.read_text()) for path in sorted(folder.rglob("*.*"))]


def test_a_form_shows_help_labels_and_choices_as_text():
    class Form(forms.Form):
        name = forms.CharField(label="<b>1", help_text="<b>2")
        tick = forms.BooleanField(label="<b>3", help_text="<b>4")
        some = forms.ChoiceField(label="<b>5", help_text="<b>6", choices=[("<b>", "<b>7")], widget=forms.RadioSelect)

    html = render_to_string("django/forms/div.html", Form({"some": "<b>8"}).get_context())
    assert "<b>" not in html
    assert all(f"&lt;b&gt;{number}" in html for number in range(1, 9))


def test_rules_for_passwords_are_a_list_that_django_made(client, site):
    make_owner()
    page = client.get("/register/").content.decode()
    assert '<div class="hint" id="id_password_helptext"><ul><li>' in page


@every_row(
    "html",
    [
        '<p hx-get="/x" data-hx-get="/x" hx-trigger="load">',
        '<a href="https://example.org/" hx-boost="true" ping="/x" target="_top" download>',
        '<p id="x" name="x" class="x" style="color:red" title="x" onclick="x()">',
        '<form action="/x"><button formaction="/x" name="role" value="ADMIN">',
        '<input form="x" formaction="/x"><select name="x"><textarea name="x"></textarea>',
        '<a href="javascript:x()">',
        '<a href="/relative">',
        '<svg><a xlink:href="/x"><style>x</style><script>x</script>',
        '<iframe srcdoc="x"></iframe><object data="/x"></object><base href="/x"><meta http-equiv="refresh">',
    ],
)
def test_the_cleaner_drops_what_could_act(html):
    """What Markdown is made into has none of this; the cleaner would not let it through, either."""
    left = markdown.CLEANER.clean(f"{html}words</p>")
    allowed = r'</?p>|</?a(?: href="https://example\.org/")?(?: rel="nofollow noopener")?>'
    assert re.sub(allowed, "", left).replace("words", "").replace("x", "").strip() == ""
