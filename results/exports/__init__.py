PUBLIC = "files"
