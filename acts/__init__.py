PUBLIC = (
    "background branding caches closing gates hooks links permissions queues rate_limits refusals retry "
    "single_flight storage tokens versions wakeups"
)
