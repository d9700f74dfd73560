"""Responses: one wire, in both directions."""
