"""`core eval geometry --closure`: how well fitted points give back the ancestors of each node of a hierarchy."""
