"""What the site's owner switches on and off: the page Features, and what a new site is for."""
