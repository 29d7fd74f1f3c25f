PUBLIC = "access demo endorsements finding forms merging replay repository rules services"
