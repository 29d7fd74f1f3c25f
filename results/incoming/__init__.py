PUBLIC = "count_cache"
