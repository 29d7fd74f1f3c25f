PUBLIC = "letters services"
