PUBLIC = "electorate repository services"
