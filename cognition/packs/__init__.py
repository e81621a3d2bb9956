"""Knowledge packs: format, reading, opening, and the packs that ship with the distribution."""
