"""Pages on which another question is asked, or one of several is removed."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from elections import questions, repository
from elections.access import election_context, load_question, organiser_page
from elections.rules import Action, Election
from foundation.acts.retry import retry_lost_race, run_once
from foundation.pages.forms import form_data, form_page, run_form, show_form, token_in

from .setup_forms import AskForm
from .setup_views import questions_url


@organiser_page(Action.SET_UP)
@form_page
def ask_question(request: HttpRequest, election: Election) -> HttpResponse:
    """Idempotent: the same form again asks the same question."""
    form = AskForm(form_data(request), election=election)
    mark = f"{request.user.name} {token_in(request.POST)}"

    def ask() -> None:
        now = repository.find(election.name) or election
        run_once(mark, lambda: questions.add_question(request.user, now, mark=mark, **form.values()), None)

    if run_form(request, form, lambda: retry_lost_race(ask), _("The question is on the ballot."), "title"):
        return redirect(questions_url((repository.find(election.name) or election).questions[-1]))
    lead = _("It is on the same ballot: people vote on all questions at once, and each has its own result.")
    context = election_context(request, election, lead=lead)
    return show_form(request, form, _("Ask another question"), _("Ask it"), **context)


@organiser_page(Action.SET_UP)
@form_page
def remove_question(request: HttpRequest, question: Election) -> HttpResponse:
    form = forms.Form(form_data(request))

    def remove() -> Election:
        now = load_question(*question.address)
        return questions.remove_question(request.user, now or question)

    done = _("“%(title)s” is no longer on the ballot.") % {"title": question.title}
    if run_form(request, form, lambda: retry_lost_race(remove), done):
        return redirect(questions_url(repository.find(question.name) or question))
    candidates = len(repository.candidates(*question.address)) if question.kind != "yes-no" else 0
    lead = ngettext(
        "Its %(count)d candidate goes with it, with statement and picture.",
        "Its %(count)d candidates go with it, with statements and pictures.",
        candidates,
    )
    context = election_context(request, question, lead=lead % {"count": candidates} if candidates else "", danger=True)
    title = _("Remove “%(title)s” from the ballot") % {"title": question.title}
    return show_form(request, form, title, _("Remove it"), **context)
