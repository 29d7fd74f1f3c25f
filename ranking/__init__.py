PUBLIC = "candidates code_prefixes codes drafts explanations rank_inputs ranking_cookie rankings"
