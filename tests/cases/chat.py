"""Turns and the Chat bodies that say the same.

`CASES` go both ways: the turn is written as the body, and the body is read as the turn. `MEANS` are other spellings:
they are read as the turn, and it is never written so.
"""

from __future__ import annotations

from tests.cases.chat_means import MEANS
from tests.cases.chat_rows import ROWS
from tests.cases.chat_settings import SETTINGS, TOOLS
from tests.cases.chat_talks import PARTS, TALKS
from tests.cases.chat_words import ASK, ASKED, BINDING, HOME, Case, own, talk, turn

__all__ = ["ASK", "ASKED", "BINDING", "CASES", "HOME", "MEANS", "Case", "own", "talk", "turn"]

CASES = [*SETTINGS, *TOOLS, *PARTS, *TALKS, *ROWS]
