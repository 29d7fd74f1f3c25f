"""Elections from draft to closed: candidates, electorate, lifecycle, the pages of organisers."""
