"""The official Python clients read what we write, and we read what they send."""
