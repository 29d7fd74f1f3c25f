PUBLIC = "access demo endorsements finding forms merging repository rules services"
