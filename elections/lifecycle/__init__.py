"""From draft to closed: opening, extending, closing, deleting."""

PUBLIC = "closing forms services"
