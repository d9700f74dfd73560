"""The relay, topic by topic."""
