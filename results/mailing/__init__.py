PUBLIC = "emails services"
