"""People: accounts, sign-in by name or email, roles, sessions."""

PUBLIC = (
    "access allowance anonymous demo forms heirs letters models opting_out policy repository rules "
    "second_factor sessions setup telling throttle visitors visits welcoming"
)
