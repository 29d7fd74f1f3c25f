"""Mails to voters: invitations, reminders, messages, their texts, their budget and who wants none."""

PUBLIC = "forecast letters mailing opt_out progress reminders voting_link wording"
