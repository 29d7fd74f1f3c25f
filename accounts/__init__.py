"""People: accounts, sign-in by name or email, roles, sessions."""

PUBLIC = (
    "access api_tokens connectors demo emails forms handover lookalikes mail_quota models password_policy "
    "personal_data registration_policy replay repository rules second_factor sessions setup_link signing_out throttle "
    "unsubscribe visitors"
)
