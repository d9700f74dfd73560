"""How fast the codec is, as ratios to what any reader or writer must at least do."""
