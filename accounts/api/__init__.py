"""The API: the same services as the pages, for programs. Each operation is declared once (`operations.py`)."""
