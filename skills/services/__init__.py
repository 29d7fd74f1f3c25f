"""What people do with skills: load, decide, record in one transaction. By what it is about."""

from .catalogue import add, add_alias, approve, edit, propose, refuse, remove_alias, rename
from .own import confirm, forget_skills, hold, let_go, show_to

__all__ = [
    "add",
    "add_alias",
    "approve",
    "confirm",
    "edit",
    "forget_skills",
    "hold",
    "let_go",
    "propose",
    "refuse",
    "remove_alias",
    "rename",
    "show_to",
]
