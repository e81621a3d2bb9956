"""Whether CORE can work here: what is installed, what the machine has, what is broken and how to mend it."""
