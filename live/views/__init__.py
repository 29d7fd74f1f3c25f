PUBLIC = "demo forms join_forms urls"
