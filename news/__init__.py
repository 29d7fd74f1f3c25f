PUBLIC = "about demo emails front mailing repository subscribing"
