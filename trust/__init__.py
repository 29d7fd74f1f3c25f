PUBLIC = "serving"
