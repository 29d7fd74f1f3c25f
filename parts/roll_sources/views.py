"""The page on which organisers choose a source and check what it changes, before it does."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _

from accounts.connectors.identities import followable
from elections import voter_lists
from elections.access import election_context, organiser_page
from elections.roll import imports, list_summary, services
from elections.roll.views import start_import
from elections.rules import Action, Election
from foundation.acts.outbound import MAX_URL_CHARS, OutboundError, checked_url
from foundation.acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from foundation.pages.forms import form_data, form_page, refusals_as_errors
from foundation.pages.messages import run_action

from . import sources

SOURCE_READS = Limit("roll sources", 60, SECONDS_PER_HOUR)


class SourceForm(forms.Form):
    """What the roll follows: a file, or one of the groups that the site offers."""

    source = forms.ChoiceField(label=_("Source"), widget=forms.RadioSelect, initial=sources.FILE)
    url = forms.CharField(
        label=_("Address of the file"),
        required=False,
        max_length=MAX_URL_CHARS,
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://…", "dir": "ltr"}),
        help_text=_("A CSV file as for an import. Only those who run this election see its address."),
    )
    nightly = forms.BooleanField(
        label=_("Follow it every night"),
        required=False,
        help_text=_("In your name, for as long as you may change the roll. Otherwise only when you press the button."),
    )

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        groups = [(each, f"{provider.label}: {group}") for each, (provider, group) in followable().items()]
        self.fields["source"].choices = [(sources.FILE, _("A file at a web address")), *groups]
        if not groups:
            self.fields["source"].widget, self.fields["url"].required = forms.HiddenInput(), True

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("source") == sources.FILE and "url" in cleaned:
            try:
                checked_url(cleaned["url"])
            except OutboundError as error:
                self.add_error("url", str(error))
        return cleaned

    @property
    def chosen(self) -> tuple[str, str]:
        """Kind and place of the source."""
        source = self.cleaned_data["source"]
        return (sources.FILE, self.cleaned_data["url"]) if source == sources.FILE else (sources.GROUP, source)


@organiser_page(Action.ADD_VOTERS)
@form_page
def follow_source(request: HttpRequest, election: Election) -> HttpResponse:
    """First which source, then what it changes, then one button. Nothing is stored before that."""
    source = sources.find(election.name)
    if "drop" in request.POST:
        done = _("The roll no longer follows a source. Everybody on it stays there.")
        run_action(request, lambda: sources.drop(request.user, election), done)
        return redirect("roll", name=election.name)
    initial: dict[str, Any] = {}
    if source is not None:
        is_file = source.kind == sources.FILE
        initial = {"source": sources.FILE, "url": source.place} if is_file else {"source": source.place}
        initial["nightly"] = bool(source.due)
    form = SourceForm(form_data(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            count(SOURCE_READS, request.user.name)
            return _follow(request, election, form)
    context = election_context(request, election, form=form, source=source)
    context |= {"trouble": sources.trouble(source.failed) if source else ""}
    return render(request, "roll_sources/source.html", context, status=422 if form.errors else 200)


def _follow(request: HttpRequest, election: Election, form: SourceForm) -> HttpResponse:
    """A preview; or what was previewed, if the source still says the same."""
    rows = sources.read(*form.chosen)
    found = sources.compare(election, rows)
    seen = request.POST.get("seen")
    if seen == found.digest:
        return _apply(request, election, form, found)
    if seen is not None:
        messages.warning(request, _("The source or the roll has changed since you looked. Please check it again."))
    context = list_summary.rows_by_verdict(found.rows) | {"found": found, "form": form}
    context |= {"removed": found.removed[: list_summary.MAX_PREVIEW_ROWS], "unlined": form.chosen[0] != sources.FILE}
    context["weights"] = list_summary.listed_weights(rows, found.rows)
    skipped = list_summary.skipped_of(found.rows)
    numbers = list_summary.preview_text(
        len(found.added), skipped, list_summary.VOTERS, len(found.removed), len(found.changed)
    )
    return render(request, "roll_sources/preview.html", election_context(request, election, numbers=numbers, **context))


def _apply(request: HttpRequest, election: Election, form: SourceForm, found: sources.Difference) -> HttpResponse:
    kind, place = form.chosen
    if found.removed:
        services.remove_together(request.user, election, found.removed)
        messages.success(request, list_summary.REMOVED % {"count": len(found.removed)})
    sources.choose(request.user, election, kind, place, nightly=form.cleaned_data["nightly"])
    if not (found.added or found.changed):
        messages.success(request, _("The roll is as the source has it."))
        return redirect("roll", name=election.name)
    known, skipped = voter_lists.details_of(found.rows), list_summary.skipped_of(found.rows)
    new = imports.start(request.user, election, [*found.added, *found.changed], skipped, known=known)
    return start_import(request, election, new)
