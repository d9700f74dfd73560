"""The neutral model: what a call asks and what it answers, on no wire in particular."""
