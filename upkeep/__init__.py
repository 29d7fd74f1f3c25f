PUBLIC = "backups disk doctor erasure https log monitoring pause server system worker"
