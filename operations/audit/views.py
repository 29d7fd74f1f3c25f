"""Pages for those who look after the site: overview, system, pause, who may use a password, and the outbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from accounts import policy
from accounts.access import allow_everyone, public, requires
from accounts.forms import OwnPasswordForm, own_password_form
from accounts.rules import Permission, Role
from accounts.services import role_unchanged
from foundation.acts import background
from foundation.acts import pause as pausing
from foundation.acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from foundation.acts.refusals import Refusal
from foundation.acts.storage import table
from foundation.mail import outbox, undelivered
from foundation.mail.emails import Mail, NothingToSay, compose
from foundation.mail.outages import all_outages
from foundation.mail.outbox import state_label
from foundation.mail.sending import send_test_email
from foundation.mail.smtp import MailError, redact_address
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.messages import refusals_as_messages, run_action
from foundation.pages.paging import list_context
from foundation.ranking import drafts
from foundation.store.connect import connect
from foundation.store.log import EventLog, utc_now
from foundation.store.parallel import run_parallel
from operations.upkeep import figures, metrics, system
from operations.upkeep.doctor import examine_page, health
from operations.upkeep.heartbeats import read_heartbeats

from .forms import PauseForm

TEST_MAIL_LIMIT = Limit("test mails", 20, SECONDS_PER_HOUR)
MAX_MAILING_CHARS = 16  # characters that identify one
# The page opens on the first non-empty one.
STATES_BY_URGENCY = (outbox.FAILED, outbox.UNKNOWN, outbox.SENT, outbox.QUEUED)


# --- the overview; each of its charts is beside a table of the same data ---


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    count: int
    percent: float  # of the longest


def bars(counts: Mapping[str, int]) -> list[Bar]:
    longest = max(counts.values(), default=0)
    return [
        Bar(label, count, round(100 * max(count, 0) / longest, 1) if longest > 0 else 0)
        for label, count in counts.items()
    ]


@requires(Permission.MANAGE_USERS)
@require_safe
def admin(request: HttpRequest) -> HttpResponse:
    """The whole site in figures, all read from stored counts: the cost does not depend on the size of the site."""
    table, now = connect(settings.STORE_URL), utc_now()
    found, mails = run_parallel(
        table,
        lambda: health.read_health(table),
        lambda: health.count_mails(table, *outbox.STATES),
    )
    by_role = figures.by_role(found.figures)
    states = {str(state.label): count for state, count in figures.by_state(found.figures).items()}
    context = {
        "health": found,
        "lag": found.lag(now),
        "people": bars({str(role.label): count for role, count in by_role.items()}),
        "to_approve": by_role.get(Role.NO_ACCESS, 0),
        "elections": bars(states),
        "mails": [(state_label(state), bounded) for state, bounded in mails.items()],
        "most_mails": health.MAX_COUNTED_MAILS,
        "embedded": system.is_embedded(),
        "size": system.store_size(),
    }
    return render(request, "audit/overview.html", context)


# --- the system and the pause ---


@requires(Permission.MANAGE_USERS)
@require_safe
def system_page(request: HttpRequest) -> HttpResponse:
    table, now = connect(settings.STORE_URL), utc_now()
    found, workers, checkpoint, mails = run_parallel(
        table,
        lambda: health.read_health(table),
        lambda: read_heartbeats(table),
        EventLog(table).newest_checkpoint,
        lambda: health.count_mails(table, *health.WATCHED),
    )
    context = {
        "health": found,
        "lag": found.lag(now),
        "checkpoint": checkpoint,
        "mails": mails,
        "jobs": health.job_health(found, workers),
        "failing": [(task, background.label_of(task)) for task in background.failing()],
        "workers": workers,
        "worker_seen": health.last_seen(workers),
        "disks": system.disks(),
        "latencies": metrics.latencies(),
        "kept": metrics.MAX_ROUND_TRIPS,
        "embedded": system.is_embedded(),
        "address": system.store_address(),
        "size": system.store_size(),
        "tables": system.tables(),
        "capacity": metrics.capacity(),
        "retries": metrics.retries(),
        "versions": system.versions(),
        "settings": system.settings_in_force(),
        "findings": examine_page(request, found, health.last_seen(workers), checkpoint, mails),
    }
    return render(request, "audit/system.html", context)


@requires(Permission.MANAGE_USERS)
@require_POST
def retry(request: HttpRequest) -> HttpResponse:
    """Let the worker retry what failed."""
    if background.retry(request.POST.get("type", ""), request.POST.get("subject", "")):
        messages.success(request, _("The worker is retrying it now."))
    else:
        messages.info(request, _("Nothing to retry: it has finished or changed in the meantime."))
    return redirect("system")


@requires(Permission.TRANSFER_OWNER)
@form_page
def pause(request: HttpRequest) -> HttpResponse:
    form = PauseForm(form_data(request))
    if run_form(
        request,
        form,
        lambda: pausing.pause(
            request.user.name, form.cleaned_data["minutes"], form.cleaned_data["sentence"], role_unchanged(request.user)
        ),
        _("The site is paused. Nothing changes until you resume it."),
    ):
        return redirect("system")
    lead = _("Everyone can still read. Voting, forms, mails and closings wait until you resume the site.")
    return show_form(request, form, _("Pause the site"), _("Pause"), lead=lead, danger=True)


@requires(Permission.TRANSFER_OWNER)
@require_POST
def resume(request: HttpRequest) -> HttpResponse:
    with refusals_as_messages(request):
        pausing.resume(request.user.name, role_unchanged(request.user))
        messages.success(request, _("The site is running again."))
    return redirect(reverse("system"))


@requires(Permission.TRANSFER_OWNER)
@form_page
@sensitive_post_parameters()
def sign_in_rule(request: HttpRequest) -> HttpResponse:
    """Whether everyone else has to sign in with a provider. The owner types the password that stays for emergencies."""
    owner, required = request.user, policy.requires_provider()
    may_require = bool(settings.SIGN_IN_PROVIDERS) and owner.has_usable_password() and not required
    form = own_password_form(request, OwnPasswordForm) if may_require and "allow" not in request.POST else None
    if "allow" in request.POST:
        allow = partial(policy.allow_passwords, owner.name, role_unchanged(owner))
        run_action(request, allow, _("Everyone can sign in with a password again."))
        return redirect("sign_in_rule")
    require = partial(policy.require_provider, owner.name, role_unchanged(owner))
    if form is not None and run_form(request, form, require, _("From now on everyone else signs in with a provider.")):
        return redirect("sign_in_rule")
    context = {"form": form, "required": required, "providers": settings.SIGN_IN_PROVIDERS}
    return render(request, "audit/sign_in.html", context, status=422 if form is not None and form.errors else 200)


# --- the outbox ---


@requires(Permission.TRANSFER_OWNER)
@require_safe
def mails(request: HttpRequest) -> HttpResponse:
    """The outbox by state, first what needs attention.

    In the local profile the owner can read sent mails, as they went nowhere else.
    """
    counts, current_outages, is_tried_again = run_parallel(
        table(),
        lambda: health.count_mails(table(), *outbox.STATES),
        lambda: all_outages(table()),
        undelivered.is_requested,
    )
    state = request.GET.get("state", "")
    if state not in outbox.STATES:
        state = next((each for each in STATES_BY_URGENCY if counts[each].count), outbox.SENT)
    context = {
        "state": state,
        "counts": counts,
        "outages": current_outages,
        "is_tried_again": is_tried_again,
        "undecided": undelivered.UNDECIDED,
        "local": not settings.PRODUCTION,
    }
    if state == outbox.UNKNOWN:
        context["mailings"] = undelivered.mailings(outbox.in_state(state, health.MAX_COUNTED_MAILS)[0])
    context |= list_context(request, partial(outbox.in_state, state), state=state)
    return render(request, "audit/mails.html", context)


@requires(Permission.TRANSFER_OWNER, load=outbox.find, rule=allow_everyone)
@require_safe
def mail_text(request: HttpRequest, mail: Mail) -> HttpResponse:
    """The text of a mail, with fresh links: only where mail is written to files anyway, never in production."""
    if settings.PRODUCTION:
        raise Http404
    try:
        message = compose(mail)
    except NothingToSay:
        raise Http404 from None
    return render(request, "audit/mail.html", {"subject": message.subject, "to": mail.to, "text": message.body})


# --- deciding about undelivered mails ---


@requires(Permission.TRANSFER_OWNER)
@require_POST
def try_all(request: HttpRequest) -> HttpResponse:
    return _decide(request, undelivered.retry_all, outbox.FAILED, _("Retrying all failed mails."))


@requires(Permission.TRANSFER_OWNER)
@require_POST
def settle_unknown(request: HttpRequest) -> HttpResponse:
    """Settle mails of unknown fate, all of them or those of one mailing."""
    how, mailing = request.POST.get("how", ""), request.POST.get("mailing", "")[:MAX_MAILING_CHARS]
    done = _("Sending these mails again.") if how == undelivered.RETRY else _("Marking these mails as sent.")
    return _decide(request, undelivered.settle_unknown, outbox.UNKNOWN, done, how, mailing)


@requires(Permission.TRANSFER_OWNER, load=outbox.find, rule=allow_everyone)
@require_POST
def try_one(request: HttpRequest, mail: Mail) -> HttpResponse:
    return _decide(request, undelivered.retry, mail.state, _("Retrying the mail."), mail)


@requires(Permission.TRANSFER_OWNER, load=outbox.find, rule=allow_everyone)
@require_POST
def put_aside(request: HttpRequest, mail: Mail) -> HttpResponse:
    done = _("The mail has been set aside and will not be sent.")
    return _decide(request, undelivered.put_aside, mail.state, done, mail)


def _decide(request: HttpRequest, act: Callable[..., None], state: str, done: str, *subject: Any) -> HttpResponse:
    """Act on the mails, and show those in that state."""
    run_action(request, lambda: act(request.user.name, *subject, role_unchanged(request.user)), done)
    return redirect(f"{reverse('mails')}?state={state}")


# --- a test mail ---


@requires(Permission.TRANSFER_OWNER)
@require_POST
def send_test_mail(request: HttpRequest) -> HttpResponse:
    """Sent to oneself at once; the page shows the server's answer."""
    try:
        count(TEST_MAIL_LIMIT, request.user.name)
        answer = send_test_email(request.user.email)
    except Refusal as refusal:
        messages.error(request, str(refusal))
    except MailError as error:
        reply = redact_address(error.text, request.user.email)
        messages.error(request, _("The mail server rejected the test mail: %(words)s") % {"words": reply})
    else:
        reply = redact_address(answer, request.user.email)
        done = _("A test mail is on its way to you. The mail server said: %(words)s") % {"words": reply}
        messages.success(request, done if reply else _("A test mail has been sent to you."))
    return redirect("mails")


# --- The design system ---


@public
@require_safe
def style(request: HttpRequest) -> HttpResponse:
    """Every component of the design system on one page."""
    return render(request, "pages/style.html", {"draft_key": drafts.key(request, "style")})
