PUBLIC = "demo forms replay repository rules sealing services"
