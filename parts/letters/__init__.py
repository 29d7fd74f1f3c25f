"""Letters to voters without an email address: codes, printing in batches, reissuing."""
