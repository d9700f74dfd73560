"""What a part of the run found: counts by table, and whatever must not be."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

SAMPLES = 3


@dataclass
class Report:
    """Counts, with a few cases for each row, and failures. Reports of several workers add up."""

    tables: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    samples: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    failures: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def count(self, table: str, row: str, case: str) -> None:
        """One more of a row, seen in a case."""
        self.tables[table][row] += 1
        known = self.samples[table, row]
        if len(known) < SAMPLES and case not in known:
            known.append(case)

    def fail(self, law: str, case: str, detail: str = "") -> None:
        """Something that must hold does not."""
        self.failures[law].append(f"{case}: {detail}" if detail else case)

    def add(self, other: Report) -> None:
        """Take over another report."""
        for table, rows in other.tables.items():
            self.tables[table].update(rows)
        for key, cases in other.samples.items():
            self.samples[key] = (self.samples[key] + cases)[:SAMPLES]
        for law, cases in other.failures.items():
            self.failures[law] += cases

    def plain(self) -> Report:
        """The same without default factories, which do not pickle."""
        return Report(dict(self.tables), dict(self.samples), dict(self.failures))

    def lines(self, *, rows: int, verbose: bool) -> list[str]:
        """The report as text: each table by count, then the failures."""
        out: list[str] = []
        for table in sorted(self.tables):
            counted = self.tables[table]
            out.append(f"\n{table} ({sum(counted.values())})")
            for row, number in counted.most_common(None if verbose else rows):
                where = f"   [{', '.join(self.samples[table, row])}]" if verbose else ""
                out.append(f"  {number:6}  {row}{where}")
            if not verbose and len(counted) > rows:
                out.append(f"          ... {len(counted) - rows} more rows")
        for law, cases in sorted(self.failures.items()):
            out.append(f"\nFAILED {law} ({len(cases)})")
            out += [f"  {case}" for case in (cases if verbose else cases[:rows])]
        return out


def strip_indexes(path: str) -> str:
    """`messages[3].content[0]` as `messages[].content[]`."""
    head, *rest = path.split("[")
    return head + "".join("[]" + part.partition("]")[2] for part in rest)
