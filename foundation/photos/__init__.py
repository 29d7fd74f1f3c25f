"""Uploaded pictures: re-encoded in a separate process, stored in the table, served at URLs of their own."""
