PUBLIC = "card pen"
