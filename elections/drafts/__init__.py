"""Drafts: the guided setup, settings, renaming and copying."""

PUBLIC = "copying forms services"
