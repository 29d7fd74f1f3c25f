"""What people do with accounts: load, decide, record in one transaction, mail those concerned."""

from accounts.tokens import LinkSpent

from .credentials import (
    BY_PROVIDER,
    ask_for_new_email,
    ask_for_proof,
    ask_for_reset,
    change_password,
    confirm_email,
    end_sessions,
    read_email_link,
    reset_link_holder,
    reset_link_of_owner,
    reset_password,
    send_reset_link,
    sign_out_everywhere,
)
from .first_owner import AddressTaken, OwnerThere, check_setup, make_owner, make_owner_by_link
from .profile import ask_for_confirmation, change_picture, change_profile, move_picture, remove_picture
from .registration import (
    accept_invitation,
    check_newcomer,
    confirm_registration,
    create_account,
    create_by_identity,
    invite,
    make_demo_person,
    new_user,
    read_invitation,
    read_registration,
    register,
)
from .removal import ON_ERASURE, ON_REMOVAL, delete_sessions, removal_effects, remove, remove_again, remove_self
from .roles import change_mail_limit, change_role, confirm_organiser, follow_groups, name_and_role, role_unchanged
