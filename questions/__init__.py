PUBLIC = "demo forms question repository rules services"
