"""What people do with posts: load, decide, record in one transaction."""

from .picturing import picture
from .writing import check, delete, edit, publish, revoke_previews, withdraw, write

__all__ = ["check", "delete", "edit", "picture", "publish", "revoke_previews", "withdraw", "write"]
