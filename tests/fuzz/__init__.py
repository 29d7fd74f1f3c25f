"""Long runs over every form and every page; `make fuzz` does all of them."""
