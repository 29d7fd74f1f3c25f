PUBLIC = "metrics shared_metrics"
