PUBLIC = "allowance demo forms replay repository rules sealing services"
