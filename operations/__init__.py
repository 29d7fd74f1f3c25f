"""What operators and auditors use, and the promises of the site."""
