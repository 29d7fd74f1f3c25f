PUBLIC = "beginnings boxes candidates carrying codes drafts explanations rankings"
