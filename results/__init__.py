PUBLIC = "exports incoming items mailing pictures proof published repository running services sharing waiting words"
