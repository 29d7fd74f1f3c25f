PUBLIC = (
    "again background closing flights following gates limits links naming once permissions progress "
    "queues recent recording refusals ringing shards site site_cache steps suffixes tokens turns versions"
)
