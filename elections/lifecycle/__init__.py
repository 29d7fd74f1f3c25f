"""From draft to closed: opening, extending, closing, deleting."""
