PUBLIC = "candidates codes drafts listing marks ranking_cookie"
