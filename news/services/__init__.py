"""What people do with posts: load, decide, record in one transaction."""

from .announcing import announce, may_announce
from .leaving import pass_on
from .liking import forget_likes, set_like
from .writing import check, delete, edit, picture, publish, revoke_previews, withdraw, write
