"""Mails to voters: invitations, reminders, messages, their texts, their budget and who wants none."""
