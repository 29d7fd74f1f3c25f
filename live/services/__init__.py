"""Actions on live sessions."""

PUBLIC = "correcting deleting ending joining making moving seating"
