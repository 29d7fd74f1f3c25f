"""Every hook of the core in one place: what happens when an election opens, closes and is sealed, and when a person is
removed, step by step; and its types of background work. Parts add theirs afterwards, each in its apps.py.

Lower apps do not know those above them, so each of these acts has hooks for their steps. They are registered here and
nowhere else.
"""

from __future__ import annotations

from accounts.api_tokens import delete_tokens
from accounts.authentication import SIGNING_OUT
from accounts.connectors.identities import forget_groups
from accounts.emails import EMAIL_TEMPLATES as ACCOUNT_EMAILS
from accounts.policy import INVITATION_REASONS
from accounts.repository import REMOVAL
from accounts.services import ON_ERASURE, ON_REMOVAL, delete_sessions
from ballots import passes
from ballots.emails import EMAIL_TEMPLATES as BALLOT_EMAILS
from ballots.sealing import COUNTING, SEALED
from ballots.services import guest_with_link, remove_ballots_of
from elections import repository as elections
from elections import rolls
from elections.access import GUESTS
from elections.dashboard.next_step import ONCE_SEALED
from elections.dashboard.views import election_cards
from elections.drafts import copying
from elections.groups import repository as groups
from elections.groups.services import FILLING as FILLING_GROUPS
from elections.groups.services import forget_person as leave_groups
from elections.invitations import mailing, recipients
from elections.invitations.emails import EMAIL_TEMPLATES as ELECTION_EMAILS
from elections.invitations.wording import invitations_of
from elections.lifecycle.closing import AFTER_CLOSING
from elections.link_requests import ANSWERING
from elections.link_requests import EMAIL_TEMPLATES as LINK_EMAILS
from elections.managers import pass_on as pass_elections_on
from elections.panels import HOME_CARDS
from elections.personal_data import forget_calendar
from foundation.acts import background
from foundation.mail.emails import COLOURING, EMAIL_TEMPLATES
from foundation.pages import colours
from operations.features.views import question
from operations.upkeep.watchers import EMAIL_TEMPLATES as BACKUP_EMAILS
from operations.upkeep.watchers import EMAIL_TEMPLATES as CHECKPOINT_EMAILS
from results.front_page.home import PANELS
from results.mailing import EMAIL_TEMPLATES as RESULT_EMAILS
from results.mailing import mail_automatically, mail_result_step
from results.services import seal_result, wait_for_worker


def install_hooks() -> None:
    # An election closes (elections.lifecycle.closing.close, or the worker at its time): first its item says so, then
    # its gates are shut, a few at a time; once no ballot gets in, one transaction records it in the log, with the task
    # that seals it, and with what parts add to SHUTTING. An organiser who closed it by hand is about to look at it,
    AFTER_CLOSING.install(
        wait_for_worker,  # so the worker is woken at once, and given a moment
    )

    # A closed election is sealed (ballots.sealing): its ballots are published in batches while
    COUNTING.install(
        seal_result,  # they are counted, its roll is committed to, and the result is sealed
    )
    SEALED.install(
        mail_automatically,  # and mailed to the voters, if that was chosen
    )
    # Finally the box of a secret election is emptied (ballots.sealing).

    # A person without an account opens the public page of an election or its history
    # (elections.access.for_readers): they may if
    GUESTS.install(
        guest_with_link,  # this browser holds a valid voting link for it
    )

    # A person signs out (accounts.views.sign_out): the response drops
    SIGNING_OUT.install(
        passes.drop_all_passes,  # this browser's passes for voting by link
    )

    # An invited address is about to create its account (accounts.policy): what it is invited to.
    INVITATION_REASONS.install(
        invitations_of,  # to vote, in every open election with the address on its roll
    )

    # A person runs an election with a sealed result (elections.dashboard.next_step): what they can do next.
    ONCE_SEALED.install(
        mail_result_step,  # mail it to the voters, if that has not been done
    )

    # A person who may run things opens the home page (elections.panels): there is a card for each of
    HOME_CARDS.install(
        election_cards,  # their elections
    )

    # The owner opens the home page (results.front_page.home): there is a panel with
    PANELS.install(
        question,  # what the site is for, if that has not been answered
    )

    # A person is removed (accounts.services.remove): the account goes first, and then, each step until it is done,
    ON_REMOVAL.install(
        pass_elections_on,  # their elections pass to the site's owner
        remove_ballots_of,  # their ballots in open elections and their places on rolls are removed
        leave_groups,  # they leave all groups for rolls, and their own groups are deleted
        forget_calendar,  # the address of a calendar that an earlier version made for them is deleted
        recipients.forget_opt_out,  # their choice about result mails is deleted
        delete_sessions,  # their sessions are deleted
        delete_tokens,  # and their API tokens
        forget_groups,  # which groups they are in at sign-in providers is forgotten
    )
    # and finally the mark by which the log forgets their name (operations.upkeep.erasure).

    # The log is asked to forget a name or an address that no account has (log_erasure.request_erasure): there
    ON_ERASURE.install(
        rolls.forget_display_names,  # the names beside that address on rolls are deleted
    )

    # A mail is composed (foundation.mail.emails.compose): its colours are
    COLOURING.install(
        colours.site_shades,  # those of the pages
    )

    # What the worker finishes (foundation.acts.background), regardless of who began it:
    background.register(
        REMOVAL,
        *(elections.RENAMING, elections.DELETING, elections.SEALING, rolls.IMPORTING, copying.FILLING, mailing.MAILING),
        ANSWERING,
        *(groups.DELETING, FILLING_GROUPS),
    )

    # Mail templates, each kind from the app that sends it.
    EMAIL_TEMPLATES.update(ACCOUNT_EMAILS | ELECTION_EMAILS | BALLOT_EMAILS | RESULT_EMAILS)
    EMAIL_TEMPLATES.update(LINK_EMAILS | CHECKPOINT_EMAILS | BACKUP_EMAILS)
