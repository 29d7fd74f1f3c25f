"""Mails to voters: invitations, reminders, messages, their texts, their budget and who wants none."""

PUBLIC = "emails forecast mailing opt_out progress reminders voting_link wording"
