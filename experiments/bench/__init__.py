"""`core bench`: how long things take, with machine and versions."""
