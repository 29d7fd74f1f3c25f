"""Every hook in one place: what happens when an election opens, closes and is sealed, and when a person is removed,
step by step; and all types of background work.

Lower apps do not know those above them, so each of these acts has hooks for their steps. They are registered here and
nowhere else.
"""

from __future__ import annotations

from accounts.access import PROFILE_VISIBILITY
from accounts.api_tokens import delete_tokens
from accounts.connectors.membership import forget as forget_membership
from accounts.emails import EMAIL_TEMPLATES as ACCOUNT_EMAILS
from accounts.registration_policy import INVITATION_REASONS
from accounts.repository import REMOVAL
from accounts.services import ON_REMOVAL, delete_sessions
from accounts.signing_out import SIGNING_OUT
from ballots import passes
from ballots.emails import EMAIL_TEMPLATES as BALLOT_EMAILS
from ballots.services import guest_with_link, link_holder, remove_ballots_of
from ballots.services.sealing import COUNTING, SEALED
from ballots.station.services import end_visits
from elections import repository as elections
from elections import rolls
from elections.access import GUESTS, PANELS
from elections.candidate_questions.services import forget_asker
from elections.candidate_questions.telling import TELLING
from elections.dashboard.home_cards import CARDS, election_cards
from elections.dashboard.next_step import ONCE_SEALED
from elections.drafts import copying
from elections.groups import filling
from elections.groups import repository as groups
from elections.groups.services import forget_person as leave_groups
from elections.help_desk import services as help_desk
from elections.help_desk.askers import HOLDERS
from elections.help_desk.emails import EMAIL_TEMPLATES as HELP_DESK_EMAILS
from elections.help_desk.repository import FORGETTING as FORGETTING_REQUESTS
from elections.help_desk.repository import TELLING as TELLING_OF_REQUESTS
from elections.invitations import mailing, opt_out
from elections.invitations.emails import EMAIL_TEMPLATES as ELECTION_EMAILS
from elections.invitations.mailing import REMINDING
from elections.invitations.wording import invitations_of
from elections.lifecycle.closing import AFTER_CLOSING, SHUTTING
from elections.lifecycle.services import OPENING
from elections.link_requests.emails import EMAIL_TEMPLATES as LINK_EMAILS
from elections.link_requests.services import ANSWERING
from elections.managers.services import pass_on as pass_elections_on
from elections.multi_ballot_pages import services as _multi_ballots_steps  # noqa: F401 - only for its steps
from elections.multi_ballots import repository as ballots_of_several
from elections.personal_data import forget_calendar
from elections.roll.emails import EMAIL_TEMPLATES as ROLL_EMAILS
from elections.skills_needed.needs import storing_snapshot as keep_skills
from elections.skills_needed.services import forget_agreements
from foundation.acts import background
from foundation.mail.emails import COLOURING, EMAIL_TEMPLATES
from foundation.pages import colours
from operations.upkeep import pause
from operations.upkeep.backups.alarms import EMAIL_TEMPLATES as BACKUP_EMAILS
from operations.upkeep.log.nightly import EMAIL_TEMPLATES as CHECKPOINT_EMAILS
from parts.assembly.format import Assembly
from parts.assembly.minutes import repository as minutes
from parts.assembly.minutes.services import forget_attendances
from parts.assembly.plays import PLAYS as ASSEMBLY_PLAYS
from parts.live import follow_up_store, formats
from parts.live import repository as live_sessions
from parts.live.follow_ups import services as _follow_up_steps  # noqa: F401 - only for its step
from parts.live.home_cards import session_cards
from parts.live.play import register as register_plays
from parts.live.plays import PLAYS as LIVE_PLAYS
from parts.live.screens.broadcaster import BROADCASTER
from parts.live.services.deleting import forget_hosting
from parts.news import repository as posts
from parts.news import subscriptions as of_news_by_mail
from parts.news.election_posts import election_panel as on_elections
from parts.news.emails import EMAIL_TEMPLATES as NEWS_EMAILS
from parts.news.front_page import post_cards
from parts.news.likes import forget_likes
from parts.news.services import PUBLISHING
from parts.news.services import pass_on as pass_posts_on
from parts.polls import repository as polls
from parts.polls.home_cards import poll_cards
from parts.polls.services import pass_on as pass_polls_on
from parts.questions import repository as question_sets
from parts.questions.question import Type
from parts.questions.services import pass_on as pass_sets_on
from parts.skills import repository as skills
from parts.skills.access import may_see_profile
from parts.skills.services import delete_endorsements, delete_skills
from parts.webhooks import events as webhook_events
from parts.webhooks import repository as webhooks
from parts.webhooks import sending as webhook_sending  # noqa: F401 - its step
from parts.webhooks.emails import EMAIL_TEMPLATES as WEBHOOK_EMAILS
from parts.webhooks.services import forget_webhooks
from results.mailing.emails import EMAIL_TEMPLATES as RESULT_EMAILS
from results.mailing.services import mail_automatically, mail_result_step
from results.services import SEALING, seal_result, wait_for_worker


def install_hooks() -> None:
    # An election opens (elections.lifecycle.services.open_): one transaction with its gates, and with
    OPENING.install(
        keep_skills,  # the skills of candidates who agreed, as far as the election needs them
        webhook_events.opened,  # the event for webhooks
    )

    # An election closes (elections.lifecycle.closing.close, or the worker at its time): first its item says so, then
    # its gates are shut, a few at a time; once no ballot gets in, one transaction records it in the log, with
    SHUTTING.install(
        webhook_events.closed,  # the event for webhooks
    )
    # and with the task that seals it. An organiser who closed it by hand is about to look at it,
    AFTER_CLOSING.install(
        wait_for_worker,  # so the worker is woken at once, and given a moment
    )

    # A closed election is sealed (ballots.services.sealing): its ballots are published in batches while
    COUNTING.install(
        end_visits,  # whoever was still in the booth of a polling station is out,
        seal_result,  # they are counted, its roll is committed to, and the result is sealed
    )
    SEALING.install(
        webhook_events.sealed,  # with the event for webhooks,
    )
    SEALED.install(
        mail_automatically,  # and mailed to the voters, if that was chosen
    )
    # Finally the box of a secret election is emptied (ballots.services.sealing).

    # Voters are reminded (elections.invitations), and a post is published (parts.news.services.publish): each in one
    # transaction, with the event for webhooks.
    REMINDING.install(webhook_events.reminded)
    PUBLISHING.install(webhook_events.published)

    # A person views an election (elections.access.PANELS): what other apps show on its pages.
    PANELS.install(
        on_elections,  # the newest posts about it, and the news actions of those who run it
    )

    # A person without an account opens the public page of an election or its history
    # (elections.access.for_readers): they may if
    GUESTS.install(
        guest_with_link,  # this browser holds a valid voting link for it
    )

    # An admin opens a person's page (accounts.people_views.person): the picture is shown if
    PROFILE_VISIBILITY.install(
        may_see_profile,  # the profile is not hidden from them
    )

    # A person without an account asks the organisers of an election (elections.help_desk.views.ask_for_help): they are
    HOLDERS.install(
        link_holder,  # whoever the voting link in this browser was sent to
    )

    # A person signs out (accounts.views.sign_out): the response drops
    SIGNING_OUT.install(
        passes.drop_all_passes,  # this browser's passes for voting by link
    )

    # An invited address is about to create its account (accounts.registration_policy): what it is invited to.
    INVITATION_REASONS.install(
        invitations_of,  # to vote, in every open election with the address on its roll
    )

    # A person runs an election with a sealed result (elections.dashboard.next_step): what they can do next.
    ONCE_SEALED.install(
        mail_result_step,  # mail it to the voters, if that has not been done
    )

    # A person who may run things opens the home page (elections.dashboard.home_cards): a card for each of their
    CARDS.install(election_cards, poll_cards, session_cards, post_cards)

    # A person is removed (accounts.services.remove): the account goes first, and then, each step until it is done,
    ON_REMOVAL.install(
        pass_elections_on,  # their elections pass to the site's owner
        remove_ballots_of,  # their ballots in open elections and their places on rolls are removed
        leave_groups,  # they leave all groups for rolls, and their own groups are deleted
        pass_polls_on,  # their polls pass to the site's owner
        pass_sets_on,  # question sets that others use pass to the site's owner; the rest are deleted
        pass_posts_on,  # public posts stay without a name; unpublished ones pass to the site's owner
        forget_asker,  # questions they asked candidates stay, without their name
        forget_agreements,  # their consent to show skills in elections is deleted
        delete_skills,  # their skills are deleted
        delete_endorsements,  # and then the endorsements they gave and received
        forget_calendar,  # the address of a calendar that an earlier version made for them is deleted
        help_desk.forget_person,  # what they asked organisers is deleted, with the answers
        opt_out.forget,  # their choice about result mails is deleted
        forget_likes,  # which posts they like is forgotten; the counts stay
        of_news_by_mail.forget_subscription,  # their address is unsubscribed from the news
        forget_attendances,  # their list of attended assemblies is deleted; minutes stay unchanged
        forget_hosting,  # their live sessions end and are deleted, with the history of those they hosted
        forget_webhooks,  # their webhooks are deleted
        delete_sessions,  # their sessions are deleted
        delete_tokens,  # and their API tokens
        forget_membership,  # which groups they are in at sign-in providers is forgotten
    )
    # and finally the mark by which the log forgets their name (operations.upkeep.erasure.log_erasure).

    # How questions of a live session are played (parts.live.play):
    register_plays(
        *LIVE_PLAYS,
        *ASSEMBLY_PLAYS,  # of agendas
    )

    # People listen to a live session (parts.live.screens.broadcaster): each pass of its thread
    BROADCASTER.around = pause.guarded  # changes nothing while the site is paused

    # Sessions (parts.live.formats) are ordinary ones, except for
    formats.register(Type.ASSEMBLY, Assembly())  # check-in, agenda, speakers, minutes

    # A mail is composed (foundation.mail.emails.compose): its colours are
    COLOURING.install(
        colours.site_shades,  # those of the pages
    )

    # What the worker finishes (foundation.acts.background), regardless of who began it:
    background.register(
        REMOVAL,
        *(elections.RENAMING, elections.DELETING, elections.SEALING, rolls.IMPORTING, copying.FILLING, mailing.MAILING),
        *(ANSWERING, TELLING),
        *(ballots_of_several.ACTING, ballots_of_several.LISTING),
        *(TELLING_OF_REQUESTS, FORGETTING_REQUESTS),
        *(groups.DELETING, filling.FILLING),
        polls.DELETING,
        *(live_sessions.EMPTYING, live_sessions.EXPIRING, live_sessions.DELETING),
        *(minutes.SEALING, minutes.DELETING, follow_up_store.RECORDING),
        *(question_sets.FILLING, question_sets.DELETING),
        *(posts.FORGETTING_LIKES, posts.MAILING),
        skills.MERGING,
        *(webhooks.NOTIFYING, webhooks.DELIVERING),
    )

    # Mail templates, each kind from the app that sends it.
    EMAIL_TEMPLATES.update(ACCOUNT_EMAILS | ELECTION_EMAILS | BALLOT_EMAILS | RESULT_EMAILS | NEWS_EMAILS)
    EMAIL_TEMPLATES.update(LINK_EMAILS | CHECKPOINT_EMAILS | BACKUP_EMAILS | WEBHOOK_EMAILS)
    EMAIL_TEMPLATES.update(HELP_DESK_EMAILS | ROLL_EMAILS)
