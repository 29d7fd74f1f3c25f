"""What people do with posts: load, decide, record in one transaction."""

from .announcing import announce, may_announce
from .writing import check, delete, edit, pass_on, picture, publish, revoke_previews, withdraw, write
