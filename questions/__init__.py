PUBLIC = "access demo formats forms question repository rules services"
