"""`core eval cognition`: the system and its controls on the same cases, scored alike."""
