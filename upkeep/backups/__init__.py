PUBLIC = "age alarms input_files"
