PUBLIC = "access demo forms merging replay repository rules services"
