"""Drafts: the guided setup, settings, renaming and copying."""
