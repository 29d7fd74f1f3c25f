"""Actions on skills: load, decide, record in one transaction."""

from .catalogue import add, add_alias, approve, edit, propose, refuse, remove_alias, rename
from .endorsing import delete_endorsements, endorse, hide, withdraw
from .own import confirm, delete_skills, hold, let_go, show_to
