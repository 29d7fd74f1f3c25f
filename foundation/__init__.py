"""What the core and the parts are built on. Nothing here knows of elections or accounts."""
