"""Item and event types about people and their accounts."""

from django.utils.translation import gettext_lazy as _

from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, Sheet

from . import api_tokens, personal_data
from .connectors import identities

ITEMS = (
    ItemType("API request", keys.api_request, hidden="digest ttl:int"),
    ItemType("person", keys.user, "name:person email:address role created_at voter_since display_name about "
             "mails_a_day:int confirmed:bool", "hash salt session_salt lineage last_login visited_at visited_before "
             "warned_at asked_at photo:map factors:list identities:list group_role:map",
             closed_lists=(keys.users_by_email(""),),
             replayed="name email role created_at voter_since display_name about confirmed",
             exports=(
                 Export("account", _("account.json: your account and profile; your second steps, without their "
                        "secrets."), personal_data.account),
                 Export("log", _("log.json: what you did here, and what others did to your account, from the event "
                                 "log."),
                        personal_data.events))),
    ItemType("factors", keys.factors, hidden="account app:map passkeys:list codes:list version"),
    ItemType("identity", keys.identity, "name:person", "account"),
    ItemType("group at a provider", keys.provider_group, hidden="name:person account provider group",
             closed_lists=(keys.members_at_provider("", ""),),
             exports=(Export("provider_groups", _("provider_groups.json: your groups at sign-in providers that rolls "
                                                  "of elections can follow."), identities.export_groups),)),
    ItemType("spent token", keys.spent, hidden="ttl:int"),
    ItemType("daily mail count", keys.mails_of_day, "mails:int ttl:int"),
    ItemType("email guard", keys.email, "name:person", replayed="name"),
    ItemType("lookalike guard", keys.lookalike, "name:person", replayed="name"),
    ItemType("people list", keys.listed_person, "name:person email:address role created_at",
             lists=(keys.people_with_role(""),), sheets=(
                 Sheet("users", _("Users"), _("Everyone with an account."), "name email role created_at", "name",
                       "name"),)),
    ItemType("people search", keys.name_word, "name:person", closed_lists=(keys.name_words_with_role("", ""),)),
    ItemType("owner mark", keys.OWNER, "name:person", replayed="name"),
    ItemType("required provider", keys.PROVIDERS_REQUIRED, "since"),
    ItemType("setup link", keys.SETUP, hidden="digest ttl:int"),
    ItemType("session", keys.session, hidden="contents:map created_at device seen:int ttl:int",
             closed_lists=(keys.sessions_at_provider(""),),
             exports=(Export("sessions", _("sessions.json: where you are signed in."), personal_data.sessions),)),
    ItemType("API token", keys.api_token, "scopes:list created_at expires_at used_on",
             "digest credentials label ttl:int",
             exports=(Export("api_tokens", _("api_tokens.json: your API tokens, without their secrets."),
                             api_tokens.export),)),
    ItemType("API token owner", keys.api_token_owner, "name:person", "ttl:int"),
    ItemType("throttle", keys.throttle, hidden="tries:int ttl:int"),
    ItemType("registration", keys.registration, hidden="name:person email:address password then asked:list ttl:int"),
    ItemType("invitation", keys.invitation, "email:address invited_by:person invited_at role",
             lists=(keys.INVITATIONS,)),
    ItemType("pending removal", keys.leaving, "name:person email:address removed_at"),
    ItemType("released name", keys.name_to_forget, "name:person email:address removed_at upto:int asof:int at:int",
             "aliases:list until:int kept:list kept_as:list", closed_lists=(keys.NAMES_TO_FORGET, keys.NAMES_KEPT)),
)  # fmt: skip

EVENTS = (
    EventType("UserRegistered", "name:person email:address role created_at", hidden="identities:list",
              own="identities"),
    EventType("PersonInvited", "email:address role"),
    EventType("ResetLinkSent", "name:person", is_told=True),
    EventType("UserPasswordChanged", "name:person"),
    EventType("UserEmailChanged", "name:person email:address"),
    EventType("UserRoleChanged", "name:person old_role new_role voter_since", hidden="group_role:map", is_told=True),
    EventType("IdentityLinked", "name:person", hidden="identity:map", own="identity"),
    EventType("IdentityUnlinked", "name:person", hidden="identity:map", own="identity"),
    EventType("ProvidersRequired", "since"),
    EventType("PasswordsAllowed"),
    EventType("OwnershipTransferred", "old_owner:person new_owner:person old_role voter_since"),
    EventType("ProfileChanged", "name:person display_name about", own="display_name about"),
    EventType("PersonPictured", "name:person", hidden="photo:map", own="photo", is_told=True),
    EventType("MailLimitChanged", "name:person old_mails_a_day:int mails_a_day:int"),
    EventType("OrganiserConfirmed", "name:person"),
    EventType("OrganiserUnconfirmed", "name:person"),
    EventType("UserRemoved", "name:person role"),
    EventType("SecondFactorAdded", "name:person", hidden="kind factors:list"),
    EventType("SecondFactorRemoved", "name:person", hidden="kind factors:list"),
    EventType("SecondFactorsReset", "name:person", hidden="factors:list", is_told=True),
    EventType("RecoveryCodesMade", "name:person count:int", hidden="factors:list"),
    EventType("ApiTokenCreated", "name:person token scopes:list expires_at"),
    EventType("ApiTokenRevoked", "name:person token"),
    EventType("RecoveryCodeUsed", "name:person", hidden="factors:list"),
)  # fmt: skip
