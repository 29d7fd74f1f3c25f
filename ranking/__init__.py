PUBLIC = "candidates codes drafts listing ranking_cookie rankings"
