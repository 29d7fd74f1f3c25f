PUBLIC = "access demo merging replay repository rules"
