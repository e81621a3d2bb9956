"""Packs of public vocabularies: SKOS thesauri, and wordnets."""
