"""The three wires, one package each, and what they share."""
