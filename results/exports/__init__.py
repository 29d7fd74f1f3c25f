PUBLIC = "bundle files"
