PUBLIC = "verifying"
