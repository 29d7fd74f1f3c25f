"""What organisers do with a multi-question ballot, and its pages."""
