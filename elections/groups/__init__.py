"""Groups: electorates that somebody keeps, to put them on the rolls of their elections."""

PUBLIC = "filling repository services"
