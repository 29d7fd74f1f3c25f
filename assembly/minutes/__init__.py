PUBLIC = "repository services"
