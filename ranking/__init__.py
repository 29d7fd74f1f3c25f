PUBLIC = "candidates codes drafts ranking_cookie rankings"
