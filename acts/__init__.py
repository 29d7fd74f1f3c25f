PUBLIC = (
    "background branding closing gates hooks links permissions queues rate_limits read_cache refusals retry shards "
    "single_flight site_cache storage tokens unique_names versions wakeups"
)
