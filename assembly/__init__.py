PUBLIC = "demo format minutes plays"
