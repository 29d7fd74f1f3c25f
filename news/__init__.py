PUBLIC = "about demo front letters mailing repository subscribing"
