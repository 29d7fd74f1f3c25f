"""What a site may have besides elections. Each folder is a part; the core imports none of them."""
