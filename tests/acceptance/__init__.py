"""Runs the library over a folder of recorded traffic, by hand: `python -m tests.acceptance FOLDER`.

The folder holds `traffic/<wire>/{streams,bodies,requests}` with `traffic/MANIFEST.tsv`,
`clients/<wire>` and `servers/<wire>` with a `.meta.json` beside each recording, and
`pitfalls.jsonl`. pytest does not collect this package; no test depends on such a folder.
"""
