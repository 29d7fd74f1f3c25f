"""What people do with skills: load, decide, record in one transaction. By what it is about."""

from .catalogue import add, add_alias, approve, edit, propose, refuse, remove_alias, rename
from .endorsing import endorse, forget_endorsements, hide, show, withdraw
from .own import confirm, forget_skills, hold, let_go, show_to
