PUBLIC = "backups disk doctor erasure log monitoring pause secret_key server system worker"
