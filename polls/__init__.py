PUBLIC = "counting demo forms home_cards live_count replay repository rules sealing services"
