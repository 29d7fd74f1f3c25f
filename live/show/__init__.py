PUBLIC = "access hall hub rooms screens"
