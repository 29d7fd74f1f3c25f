PUBLIC = "demo format minutes pictures plays quorate resolutions words"
