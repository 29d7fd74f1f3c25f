"""Elections from draft to closed: candidates, electorate, lifecycle, the pages of organisers."""

PUBLIC = (
    "access beside books by_link convening copying demo descriptions disclosure forecast forms groups "
    "history imports invitations items letters mine needs next_step places progress quiet reminders "
    "renaming replay repository rules services telling turnout voting_times welcoming"
)
