PUBLIC = "figures nightly"
