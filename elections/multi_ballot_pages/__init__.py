"""What organisers do with a multi-question ballot, and its pages."""

PUBLIC = "services"
