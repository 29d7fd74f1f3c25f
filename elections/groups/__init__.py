"""Groups: reusable electorates that organisers put on the rolls of their elections."""
