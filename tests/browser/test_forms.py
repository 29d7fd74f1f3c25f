"""Django's forms come out in our look, with everything a screen reader needs."""

from __future__ import annotations

import pytest
from django import forms
from playwright.sync_api import Page, expect

from .test_access import faults


class Candidacy(forms.Form):
    name = forms.CharField(help_text="As it should stand on the ballot.")
    email = forms.EmailField()
    statement = forms.CharField(widget=forms.Textarea, required=False)
    seat = forms.ChoiceField(choices=[("chair", "Chair"), ("purse", "Treasurer")], widget=forms.RadioSelect)
    days = forms.MultipleChoiceField(
        choices=[("1", "Monday"), ("2", "Tuesday")], widget=forms.CheckboxSelectMultiple, required=False
    )
    since = forms.SplitDateTimeField()
    photo = forms.FileField(required=False)
    agrees = forms.BooleanField(label="I accept the nomination", help_text="You can withdraw later.")
    token = forms.CharField(widget=forms.HiddenInput)

    def clean(self):
        raise forms.ValidationError("Nominations closed yesterday.")


@pytest.fixture
def show(visit):
    """Puts a form into a page of the site."""
    page = visit("/nowhere")

    def show(form: forms.Form) -> Page:
        page.reload()
        page.evaluate(
            """html => {
              const main = document.querySelector("main > .wide");
              main.innerHTML = `<h1>Candidacy</h1><form>${html}<button class="button">Send</button></form>`;
              htmx.trigger(main, "htmx:load");
            }""",
            str(form),
        )
        return page

    return show


def test_a_new_form(show, subtests):
    page = show(Candidacy())
    with subtests.test("axe finds nothing in a new form"):
        assert faults(page) == []
    with subtests.test("every field has a name and its hint"):
        expect(page.get_by_label("Name")).to_have_accessible_description("As it should stand on the ballot.")
        expect(page.get_by_role("group", name="Seat").get_by_label("Treasurer")).to_be_visible()
        expect(page.get_by_label("I accept the nomination")).to_have_accessible_description("You can withdraw later.")
        expect(page.get_by_label("Statement (optional)")).to_be_visible()


def test_a_form_sent_back(show, subtests):
    page = show(Candidacy({"email": "nobody", "token": ""}))
    with subtests.test("a form sent back says on top what is wrong and leads there"):
        summary = page.get_by_role("group", name="Please check the following")
        expect(summary).to_be_focused()
        expect(summary).to_contain_text("Nominations closed yesterday.")
        expect(summary.get_by_role("listitem")).to_have_count(7)
        for label, field in (("Email", "#id_email"), ("Seat", "#id_seat_0"), ("Since", "#id_since_0")):
            summary.get_by_role("link", name=f"{label}:").click()
            expect(page.locator(field)).to_be_focused()
        expect(page.get_by_label("Email")).to_have_attribute("aria-invalid", "true")
        expect(page.get_by_label("Email")).to_have_accessible_description("Enter a valid email address.")
    with subtests.test("axe finds nothing in a form sent back"):
        assert faults(page) == []
    with subtests.test("what people typed is not taken for markup"):
        show(Candidacy({"name": '<b>Ada</b> & "Bob"', "email": "<i>"}))
        expect(page.get_by_label("Name")).to_have_value('<b>Ada</b> & "Bob"')
        expect(page.locator("main b, main i")).to_have_count(0)
