PUBLIC = "candidates codes drafts kinds listing ranking_cookie rankings"
