"""What people do with accounts: load, decide, record in one transaction, tell people. One room for each kind of act."""

from .addresses import ask_for_new_email, confirm_email, read_email_link
from .leaving import (
    LEAVING,
    foreseen,
    forget_sessions,
    remove,
    remove_again,
    remove_self,
    remove_unused,
)
from .links import LinkSpent
from .making import create_account, new_user
from .organising import change_mail_limit, confirm_organiser, unconfirm_organiser
from .owning import AddressTaken, OwnerThere, check_setup, make_owner, make_owner_by_link
from .passwords import (
    ask_for_reset,
    change_password,
    end_sessions,
    reset_link_holder,
    reset_link_of_owner,
    reset_password,
    send_reset_link,
    sign_out_everywhere,
)
from .profile import change_picture, change_profile, move_picture, remove_picture
from .registering import (
    accept_invitation,
    confirm_registration,
    invite,
    make_demo_person,
    read_invitation,
    read_registration,
    register,
    where_invited_to,
)
from .roles import change_role, still, who
