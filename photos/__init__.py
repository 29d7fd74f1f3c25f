"""Pictures that people upload: made anew in a process of their own, kept in the table, shown at their own addresses."""

PUBLIC = "changing demo repository rules views"
