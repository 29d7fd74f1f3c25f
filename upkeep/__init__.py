PUBLIC = "backups disk doctor erasure log monitoring pause server system worker"
