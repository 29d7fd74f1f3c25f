PUBLIC = "checking demo forms question repository rules services telling"
