PUBLIC = "heartbeats"
