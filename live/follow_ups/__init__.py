PUBLIC = "electorate services"
