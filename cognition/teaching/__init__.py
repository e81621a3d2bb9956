"""Corrections: proposed, reviewed, in force beside a pack, built into a new one, taken back."""

from cognition.teaching.errors import ReviewError as ReviewError
from cognition.teaching.items import Content as Content
from cognition.teaching.items import Item as Item
from cognition.teaching.items import Knowledge as Knowledge
from cognition.teaching.store import TeachingStore as TeachingStore
