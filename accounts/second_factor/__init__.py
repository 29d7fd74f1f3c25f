PUBLIC = "factors"
