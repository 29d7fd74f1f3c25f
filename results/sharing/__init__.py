PUBLIC = "card card_address lettering pen"
