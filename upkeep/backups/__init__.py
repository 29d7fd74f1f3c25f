PUBLIC = "alarms input_files"
