PUBLIC = "counting demo forms live_count replay repository rules sealing services"
