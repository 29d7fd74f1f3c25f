PUBLIC = "backups disk doctor erasure https log monitoring pause secret_key server system worker"
