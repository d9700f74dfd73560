"""How long a server asks to wait before the next try.

Headers of both vendors and of the servers that follow them, read 2026-11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from math import isfinite
from re import compile as pattern
from typing import cast

__all__ = ["Headers", "Pairs", "header", "pairs", "retry_after_ms"]

Headers = Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]]
"""As HTTP stacks give them: pairs of text, or of bytes (ASGI, h11)."""
Pairs = tuple[tuple[str, str], ...]


def pairs(headers: Headers) -> Pairs:
    """Headers as text; bytes are Latin-1 (RFC 9110, section 5.5). Raises TypeError for what is no pair of either."""
    found: list[tuple[str, str]] = []
    for pair in cast("Iterable[Sequence[object]]", headers):
        # a text of two letters is two of them too
        name, value = pair if isinstance(pair, tuple | list) and len(pair) == 2 else (None, None)
        if isinstance(name, bytes) and isinstance(value, bytes):
            found.append((name.decode("latin-1"), value.decode("latin-1")))
        elif isinstance(name, str) and isinstance(value, str):
            found.append((name, value))
        else:
            raise TypeError("headers are pairs of text, or of bytes")
    return tuple(found)


def header(headers: Pairs, name: str) -> str | None:
    """The first header of that name, in any case."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), None)


_DURATION = pattern(
    r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?"
).fullmatch
_RESETS = (
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
    "anthropic-ratelimit-requests-reset",
    "anthropic-ratelimit-tokens-reset",
)
_LONGEST_MS = 7 * 24 * 3_600_000


def retry_after_ms(headers: Pairs) -> int | None:
    """How long a server asks to wait, in milliseconds.

    `retry-after-ms`, then `retry-after` (seconds, or a date against the answer's own `date`), then
    the longest of the exhausted limits' resets (durations on OpenAI wires, times on Messages). None
    when unreadable, or longer than a week.
    """
    exact = _number(header(headers, "retry-after-ms"))
    if exact is not None:
        return _bounded(exact)
    said = header(headers, "retry-after")
    if said is not None:
        seconds = _number(said)
        return (
            _bounded(seconds * 1000) if seconds is not None else _until(headers, said, _http_date)
        )
    waits = [_wait(headers, name) for name in _RESETS]
    known = [wait for wait in waits if wait is not None]
    return max(known) if known else None


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else None
    except ValueError:
        return None
    return value if value is not None and isfinite(value) and value >= 0 else None


def _bounded(milliseconds: float) -> int | None:
    return round(milliseconds) if milliseconds <= _LONGEST_MS else None


def _until(headers: Pairs, said: str, read: Callable[[str], datetime]) -> int | None:
    now = header(headers, "date")
    if now is None:
        return None
    try:
        then, since = read(said), _http_date(now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    if since.tzinfo is None:
        since = since.replace(tzinfo=UTC)
    return _bounded(max(0.0, (then - since).total_seconds() * 1000))


def _http_date(said: str) -> datetime:
    # 8 ms of importing, with sockets and random numbers in it, for what hardly any answer needs
    from email.utils import parsedate_to_datetime

    return parsedate_to_datetime(said)


def _wait(headers: Pairs, name: str) -> int | None:
    said = (header(headers, name) or "").strip()
    if not said:
        return None
    remaining = header(headers, name.replace("reset", "remaining"))
    if remaining is not None and remaining.strip() not in ("0", "0.0"):
        return None
    found = _DURATION(said)
    if found is None:
        seconds = _number(said)
        if seconds is None:
            return _until(headers, said, datetime.fromisoformat)
        return _bounded(seconds * 1000)
    hours, minutes, seconds_text, milli = (float(part or 0) for part in found.groups())
    return _bounded(((hours * 60 + minutes) * 60 + seconds_text) * 1000 + milli)
