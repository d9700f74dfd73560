"""Turns and the bodies that say them, one table a wire: each drives writing and reading both."""
