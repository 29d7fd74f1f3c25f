"""The smallest part, as docs/how-to/add-a-part.md makes it: bells that people ring."""
