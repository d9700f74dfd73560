"""What the parts of an item say, and what a finished item says beyond what was shown of it."""

from __future__ import annotations

from typing import Any

from llm_projections.wires.responses.answer.items import kind_of, objects

__all__ = ["beyond", "joined", "parts_of"]

Said = list[tuple[str, str]]
"""Texts with the family that tells where each stands: `text`, `refusal`, `summary`, `content`."""

_SUMMARY = {"summary_text": "summary"}
_CONTENT = {"output_text": "text", "refusal": "refusal", "reasoning_text": "content"}


def parts_of(body: dict[str, Any]) -> list[tuple[str, str, dict[str, Any] | None]]:
    """The parts that are streamed: where each stands, its text, and the part itself."""
    found: list[tuple[str, str, dict[str, Any] | None]] = []
    for key, families in (("summary", _SUMMARY), ("content", _CONTENT)):
        for part in objects(body.get(key)):
            family = families.get(kind_of(part))
            if family is not None:
                text = part.get("refusal" if family == "refusal" else "text")
                found.append((family, text if isinstance(text, str) else "", part))
    return found


def joined(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Parts with neighbours of one family made one, and empty ones left out."""
    found: list[tuple[str, str]] = []
    for family, text in parts:
        if not text:
            continue
        if found and found[-1][0] == family:
            # summaries and raw reasoning of several parts are told apart by an empty line
            joint = "\n\n" if family in ("summary", "content") else ""
            found[-1] = (family, found[-1][1] + joint + text)
        else:
            found.append((family, text))
    return found


def beyond(said: Said, whole: Said) -> Said | None:
    """What `whole` says after `said`; None where it does not begin with it."""
    if any(family in ("summary", "content") for family, _ in whole):
        # a summary and the raw reasoning grow side by side
        rests = [
            _after(
                joined([each for each in said if each[0] == family]),
                joined([each for each in whole if each[0] == family]),
            )
            for family in ("summary", "content")
        ]
        return None if None in rests else [each for rest in rests for each in rest or ()]
    return _after(said, joined(whole))


def _after(said: Said, rest: Said) -> Said | None:
    for position, (family, text) in enumerate(said):
        if not rest or rest[0][0] != family or not rest[0][1].startswith(text):
            return None
        left = rest[0][1][len(text) :]
        if left and position < len(said) - 1:
            return None
        rest = [(family, left), *rest[1:]] if left else rest[1:]
    return rest
