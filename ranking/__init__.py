PUBLIC = "candidates code_prefixes codes drafts explanations ranking_cookie rankings"
