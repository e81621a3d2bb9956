"""Sessions: what was asked, taught and taken back, kept in an append-only log."""

from cognition.session.events import Event as Event
from cognition.session.events import SessionError as SessionError
from cognition.session.session import Session as Session
from cognition.session.store import SessionStore as SessionStore

__all__ = ["Event", "Session", "SessionError", "SessionStore"]
