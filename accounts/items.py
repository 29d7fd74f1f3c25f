"""Item types about people and their accounts."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from store import keys
from store.replay import Exempt
from store.schema import Export, ItemType, Sheet

from . import personal_data

NO_DOORS = "The log holds nothing that opens a door"

ITEMS = (
    ItemType("person", keys.user, "name:person email:address role created_at voter_since display_name about "
             "mails_a_day:int confirmed:bool", "hash salt session_salt lineage last_login visited_at visited_before "
             "warned_at photo:map factors:list", replay=(
                 Exempt(f"{NO_DOORS}, nor when somebody last came through it.", "hash salt session_salt last_login"),
                 Exempt("By which a ballot knows whoever cast it; a person whose site was rebuilt comes in by a new "
                        "password.", "lineage"),
                 Exempt("When somebody was warned that nobody uses the account: a mail, and no act of anybody.",
                        "warned_at"),
                 Exempt("When somebody was here last, by which home knows what is new to them: no act of anybody.",
                        "visited_at visited_before")),
             exports=(
                 Export("account", _("account.json: your account and profile; your second steps, without their "
                        "secrets."), personal_data.account),
                 Export("log", _("log.json: what you did here, and what others did to your account, from the event "
                                 "log."),
                        personal_data.events))),
    ItemType("factors", keys.factors, hidden="account app:map passkeys:list codes:list version",
             replay=f"{NO_DOORS}: the account says which kinds there are."),
    ItemType("mails of day", keys.mails_of_day, "mails:int ttl:int",
             replay="How many mails somebody had sent is forgotten when the day is over."),
    ItemType("email guard", keys.email, "name:person"),
    ItemType("look guard", keys.lookalike, "name:person"),
    ItemType("people list", keys.listed_person, "name:person email:address role created_at",
             lists=(keys.people_with_role(""),), sheets=(
                 Sheet("users", _("Users"), _("Everyone with an account."), "name email role created_at", "name",
                       "name"),)),
    ItemType("people search", keys.name_word, "name:person", closed_lists=(keys.name_words_with_role("", ""),)),
    ItemType("owner mark", keys.OWNER, "name:person"),
    ItemType("setup link", keys.SETUP, hidden="digest ttl:int",
             replay="A door held open for the first owner: it is shut when there is one, or after a day."),
    ItemType("session", keys.session, hidden="contents:map created_at device seen:int ttl:int",
             replay="Who is signed in where is over with the browser.",
             exports=(Export("sessions", _("sessions.json: where you are signed in."), personal_data.sessions),)),
    ItemType("throttle", keys.throttle, hidden="tries:int ttl:int",
             replay="How often somebody tried is forgotten within the hour."),
    ItemType("registration", keys.registration, hidden="name:person email:address password then ttl:int",
             replay="Who has not opened the link in the mail is nobody yet."),
    ItemType("invitation", keys.invitation, "email:address invited_by:person invited_at", lists=(keys.INVITATIONS,),
             replay="A door held open for an address; mailings renew it, and it can be held anew."),
    ItemType("leaving", keys.leaving, "name:person email:address removed_at",
             replay="A name or address that is nobody's until a removal is finished."),
    ItemType("gone name", keys.name_to_forget, "name:person email:address removed_at upto:int asof:int at:int",
             "aliases:list until:int kept:list kept_as:list", closed_lists=(keys.NAMES_TO_FORGET, keys.NAMES_KEPT),
             replay="Whom the log is still to forget; what it forgets has an event of its own."),
)  # fmt: skip
