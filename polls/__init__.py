PUBLIC = "demo forms home_cards replay repository rules sealing services"
