"""Item types about people and their accounts."""

from django.utils.translation import gettext_lazy as _

from store import keys
from store.replay import Exempt
from store.schema import Export, ItemType, Sheet

from . import api_tokens, personal_data
from .connectors import membership

NO_CREDENTIALS = "The log contains no credentials"

ITEMS = (
    ItemType("person", keys.user, "name:person email:address role created_at voter_since display_name about "
             "mails_a_day:int confirmed:bool", "hash salt session_salt lineage last_login visited_at visited_before "
             "warned_at asked_at photo:map factors:list identities:list group_role:map", replay=(
                 Exempt(f"{NO_CREDENTIALS}, and no sign-ins.", "hash salt session_salt last_login"),
                 Exempt("Tells whose the account is. After a rebuild people need a new password, which changes it.",
                        "lineage"),
                 Exempt("When earlier versions warned a person that their account is unused.", "warned_at"),
                 Exempt("When a person asked to be confirmed: a mail to the admins, not an act.", "asked_at"),
                 Exempt("When a person last visited, so that their home page shows what is new: not an act.",
                        "visited_at visited_before")),
             exports=(
                 Export("account", _("account.json: your account and profile; your second steps, without their "
                        "secrets."), personal_data.account),
                 Export("log", _("log.json: what you did here, and what others did to your account, from the event "
                                 "log."),
                        personal_data.events))),
    ItemType("factors", keys.factors, hidden="account app:map passkeys:list codes:list version",
             replay=f"{NO_CREDENTIALS}; the account says which kinds of factors there are."),
    ItemType("identity", keys.identity, "name:person", "account"),
    ItemType("group at a provider", keys.provider_group, hidden="name:person account provider group",
             closed_lists=(keys.members_at_provider("", ""),),
             replay="The provider says it again at every sign-in.",
             exports=(Export("provider_groups", _("provider_groups.json: your groups at sign-in providers that rolls "
                                                  "of elections can follow."), membership.export),)),
    ItemType("spent token", keys.spent, hidden="ttl:int",
             replay="A sign-in or a sign-out at a provider that was used; nobody could use it again after a day."),
    ItemType("daily mail count", keys.mails_of_day, "mails:int ttl:int",
             replay="How many mails a person has sent today; it expires after two days."),
    ItemType("email guard", keys.email, "name:person"),
    ItemType("lookalike guard", keys.lookalike, "name:person"),
    ItemType("people list", keys.listed_person, "name:person email:address role created_at",
             lists=(keys.people_with_role(""),), sheets=(
                 Sheet("users", _("Users"), _("Everyone with an account."), "name email role created_at", "name",
                       "name"),)),
    ItemType("people search", keys.name_word, "name:person", closed_lists=(keys.name_words_with_role("", ""),)),
    ItemType("owner mark", keys.OWNER, "name:person"),
    ItemType("required provider", keys.PROVIDERS_REQUIRED, "since"),
    ItemType("setup link", keys.SETUP, hidden="digest ttl:int",
             replay="Lets the first owner in; it expires once there is an owner, or after a day."),
    ItemType("session", keys.session, hidden="contents:map created_at device seen:int ttl:int",
             closed_lists=(keys.sessions_at_provider(""),),
             replay="A sign-in lasts only as long as the browser's session.",
             exports=(Export("sessions", _("sessions.json: where you are signed in."), personal_data.sessions),)),
    ItemType("API token", keys.api_token, "scopes:list created_at expires_at used_on",
             "digest credentials label ttl:int", replay=f"{NO_CREDENTIALS}.",
             exports=(Export("api_tokens", _("api_tokens.json: your API tokens, without their secrets."),
                             api_tokens.export),)),
    ItemType("API token owner", keys.api_token_owner, "name:person", "ttl:int", replay=f"{NO_CREDENTIALS}."),
    ItemType("throttle", keys.throttle, hidden="tries:int ttl:int",
             replay="Counts of attempts expire within a day."),
    ItemType("registration", keys.registration, hidden="name:person email:address password then asked:list ttl:int",
             replay="There is no account until the link in the mail is opened."),
    ItemType("invitation", keys.invitation, "email:address invited_by:person invited_at role",
             lists=(keys.INVITATIONS,),
             replay="Lets an invited address register; mailings renew it, and an admin can send it again."),
    ItemType("pending removal", keys.leaving, "name:person email:address removed_at",
             replay="Reserves a name or address until the removal of its former owner is finished."),
    ItemType("released name", keys.name_to_forget, "name:person email:address removed_at upto:int asof:int at:int",
             "aliases:list until:int kept:list kept_as:list", closed_lists=(keys.NAMES_TO_FORGET, keys.NAMES_KEPT),
             replay="People whose names the log has yet to forget; forgetting them is recorded by its own event."),
)  # fmt: skip
