"""How answers are scored: from what they say and cite, whichever arm gave them."""
