"""People: accounts, sign-in by name or email, roles, sessions."""

PUBLIC = (
    "access allowance anonymous demo emails forms heirs models opting_out personal_data policy repository "
    "rules second_factor sessions setup throttle visitors visits welcoming"
)
