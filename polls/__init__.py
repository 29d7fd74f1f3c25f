PUBLIC = "counting demo forms home_cards live_count repository rules sealing services"
