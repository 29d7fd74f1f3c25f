PUBLIC = "demo format minutes pictures quorate resolutions words"
