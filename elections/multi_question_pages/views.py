"""Pages of several questions on one ballot: what voters see of it, and what those do who run it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from acts.storage import now_text, table
from elections import actions
from elections import repository as elections
from elections import rules as of_elections
from elections.access import context_of, may, visible
from elections.lifecycle.consequences import Figure, time_left
from elections.lifecycle.forms import EndForm
from elections.multi_question import repository, rules
from elections.multi_question.rules import Book
from elections.rules import Action, Election
from elections.turnout.counts import turnout
from pages.forms import carried_out, form_page, posted, show_form
from pages.saying import say_what_was_understood, told
from store.together import together

from . import services
from .forms import BookForm, BookNameForm, MoreQuestionsForm, QuestionForm


@dataclass(frozen=True, slots=True)
class Found:
    """A book with the election that leads it, by which is decided who may do what."""

    book: Book
    leader: Election


def load(book_id: str) -> Found | None:
    book = repository.find(book_id)
    leader = elections.find(book.leader) if book else None
    return Found(book, leader) if book and leader else None


def run(action: Action) -> Any:
    """A page of somebody who runs the book."""
    rule = lambda user, found: may(action)(user, found.leader)  # noqa: E731
    return requires(Permission.USE_APPLICATION, load=load, rule=rule, organises=True)


def book_context(request: HttpRequest, found: Found, **more: Any) -> dict[str, Any]:
    return context_of(request, found.leader, book=found.book, **more)


def see(user: User, found: Found) -> None:
    visible(user, found.leader)


@requires(Permission.VIEW_APPLICATION, load=load, rule=see)
@require_safe
def book(request: HttpRequest, found: Found) -> HttpResponse:
    """What the ballot asks, and the way to one's own."""
    questions = repository.questions(found.book)
    entries = together(table(), *(partial(elections.find_with_entry, each.name, request.user) for each in questions))
    listed = [entry for _election, entry in filter(None, entries) if entry is not None]
    has_vote = bool(listed) or found.leader.is_open_to(request.user.votes_since)
    context = {
        "questions": _named(found.book, questions),
        "voted": sum(entry.voted for entry in listed),
        "may_vote": has_vote and found.leader.takes_votes(now_text()),
    }
    return render(request, "elections/books/book.html", book_context(request, found, **context))


def _named(book: Book, questions: list[Election]) -> list[tuple[str, Election]]:
    return [(book.short(each.name), each) for each in questions]


# --- making and changing ---


@requires(Permission.USE_APPLICATION)
@form_page
def make_book(request: HttpRequest) -> HttpResponse:
    form = BookForm(posted(request))
    made: list[Book] = []
    done = _("Your questions are there. Now add candidates to each, and voters to the first.")
    if carried_out(request, form, lambda: made.append(services.make(request.user, **form.cleaned_data)), done):
        return redirect("book_dashboard", book_id=made[0].id)
    lead = _(
        "People vote on all of them in one go: one roll, one window, one invitation. Each question is an election of "
        "its own, with its own candidates, count and proof."
    )
    return show_form(request, form, _("Several questions on one ballot"), _("Make the ballot"), lead=lead)


@run(Action.LOOK)
@form_page
def book_dashboard(request: HttpRequest, found: Found) -> HttpResponse:
    """All questions, what is missing before they can open, and a box for more of them."""
    book, form = found.book, MoreQuestionsForm(posted(request))

    def add() -> Book:
        return services.add(request.user, book, form.cleaned_data["questions"])

    if carried_out(request, form, add, _("The questions are on the ballot.")):
        return redirect("book_dashboard", book_id=book.id)
    context = book_context(request, found, form=form, **_overview(found))
    return render(request, "elections/books/dashboard.html", context, status=422 if form.errors else 200)


def _overview(found: Found) -> dict[str, Any]:
    book, leader = found.book, found.leader
    questions = repository.questions(book)
    is_draft = leader.stored_state == of_elections.State.DRAFT
    rows = [_row(book, leader, each, is_draft=is_draft) for each in questions]
    _book, work = repository.find_at_work(book.id)
    return {
        "rows": rows,
        "is_busy": work is not None,
        "is_ready": not any(row["missing"] for row in rows),
        "may_grow": len(questions) < rules.MAX_QUESTIONS,
    }


def _row(book: Book, leader: Election, election: Election, *, is_draft: bool) -> dict[str, Any]:
    candidates = len(elections.candidates(election.name))
    return {
        "question": book.short(election.name),
        "election": election,
        "leads": book.is_led_by(election.name),
        "candidates": candidates,
        "missing": rules.missing(election, leader, candidates, now_text()) if is_draft else "",
        "voted": None if is_draft else turnout(election).voted,
    }


@run(Action.SET_UP)
@require_POST
def order_book(request: HttpRequest, found: Found) -> HttpResponse:
    """Move a question up or down, or take it out."""
    book, post = found.book, request.POST
    acts: dict[str, tuple[Callable[..., None], str]] = {
        "up": (lambda name: services.move(request.user, book, name, up=True), _("Moved.")),
        "down": (lambda name: services.move(request.user, book, name, up=False), _("Moved.")),
        "remove": (
            lambda name: services.take_out(request.user, book, name),
            _("It is no longer on the ballot, and a draft by itself again."),
        ),
    }
    for field, (act, sentence) in acts.items():
        if field in post:
            told(request, lambda act=act, field=field: act(post[field]), sentence)  # type: ignore[misc]
    is_left = repository.find(book.id) is not None
    return redirect("book_dashboard", book_id=book.id) if is_left else redirect("elections")


@run(Action.SET_UP)
@form_page
def rename_book(request: HttpRequest, found: Found) -> HttpResponse:
    form = BookNameForm(posted(request), initial={"name": found.book.name})
    if carried_out(
        request, form, lambda: services.rename(request.user, found.book, form.cleaned_data["name"]), _("Saved."), "name"
    ):
        return redirect("book_dashboard", book_id=found.book.id)
    return _form(request, form, found, _("Rename the ballot"), _("Save"))


def load_question(book_id: str, name: str) -> tuple[Found, Election] | None:
    found, election = load(book_id), elections.find(name)
    return (found, election) if found and election and election.book == book_id else None


def may_set_up(user: User, found: tuple[Found, Election]) -> None:
    may(Action.SET_UP)(user, found[0].leader)


@requires(Permission.USE_APPLICATION, load=load_question, rule=may_set_up)
@form_page
def question_settings(request: HttpRequest, both: tuple[Found, Election]) -> HttpResponse:
    """What a question has for itself: how it is counted."""
    found, election = both
    form = QuestionForm(posted(request), initial=QuestionForm.initial_of(election))

    def act() -> Election:
        return actions.change(request.user, election, Action.SET_UP, **form.cleaned_data)

    if carried_out(request, form, act, _("The settings are saved.")):
        return redirect("book_dashboard", book_id=found.book.id)
    return _form(request, form, found, found.book.short(election.name), _("Save settings"))


def _form(request: HttpRequest, form: Any, found: Found, title: str, button: str, **more: Any) -> HttpResponse:
    return show_form(request, form, title, button, **book_context(request, found, **more))


# --- from draft to closed ---


@run(Action.OPEN)
@form_page
def open_book(request: HttpRequest, found: Found) -> HttpResponse:
    if request.method == "POST":
        told(request, lambda: services.open_(request.user, found.book), _opened(found.book))
        return redirect("book_dashboard", book_id=found.book.id)
    words = {"count": len(found.book.questions), "voters": found.leader.voter_count}
    lead = ngettext(
        "%(count)d question opens for %(voters)d voters on the roll.",
        "%(count)d questions open at once for %(voters)d voters on the roll.",
        words["count"],
    )
    lead = lead % words if found.leader.electorate == "listed" else _("All questions open at once for everybody here.")
    also = _("From then on candidates, settings and questions stay as they are, and the roll may only grow.")
    return _asked(request, found, _("Open the ballot"), _("Open all questions"), f"{lead} {also}")


def _asked(request: HttpRequest, found: Found, title: str, button: str, lead: str, **more: Any) -> HttpResponse:
    """Numbers and questions first, and then the button."""
    said = {"title": title, "button": button, "lead": lead, "figures": _figures(found), **_overview(found), **more}
    return render(request, "elections/books/act.html", book_context(request, found, **said))


def _figures(found: Found) -> list[Figure]:
    figures = [Figure(_("Questions"), str(len(found.book.questions)))]
    if found.leader.electorate == "listed":
        figures.append(Figure(_("On the roll"), str(found.leader.voter_count)))
    return figures + time_left(found.leader, now_text())


def _opened(book: Book) -> str:
    return _("The ballot is open: %(count)d questions.") % {"count": len(book.questions)}


@run(Action.EXTEND)
@form_page
def extend_book(request: HttpRequest, found: Found) -> HttpResponse:
    form = EndForm(posted(request), zone=found.leader.time_zone)
    if carried_out(
        request, form, lambda: services.extend(request.user, found.book, form.end()), _("The end is moved.")
    ):
        say_what_was_understood(request, form)
        return redirect("book_dashboard", book_id=found.book.id)
    lead = _("For all questions on the ballot.")
    return _form(request, form, found, _("Move the end"), _("Move the end"), lead=lead)


@run(Action.CLOSE)
@form_page
def close_book(request: HttpRequest, found: Found) -> HttpResponse:
    if request.method == "POST":
        told(request, lambda: services.close(request.user, found.book), _("The ballot is closed."))
        return redirect("book_dashboard", book_id=found.book.id)
    words = {"count": len(found.book.questions)}
    lead = _("All %(count)d questions close. Nobody can vote after that, and nothing can be changed again.") % words
    return _asked(request, found, _("Close the ballot"), _("Close all questions for good"), lead, danger=True)
