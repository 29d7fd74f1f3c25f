PUBLIC = (
    "background branding caches closing encryption gates hooks links outbound permissions queues rate_limits "
    "refusals retry single_flight storage tokens versions wakeups"
)
