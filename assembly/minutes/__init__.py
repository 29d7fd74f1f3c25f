PUBLIC = "records repository services views"
