"""Actions on live sessions."""
