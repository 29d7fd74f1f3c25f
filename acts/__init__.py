PUBLIC = (
    "background branding caches closing encryption gates hooks key_mark links outbound permissions queues "
    "rate_limits refusals retry single_flight storage tokens versions wakeups"
)
