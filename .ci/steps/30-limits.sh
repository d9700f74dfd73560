# What hostile input may take: memory within the limits, and work that grows as the bytes do.
set -euo pipefail

"$PYTHON" -m venv "$WORK/proofs"
"$WORK/proofs/bin/pip" install -q "$(echo "$DIST"/*.whl)[test]"

# Side by side: each memory is that of a process of its own, and the times are of the processor.
"$WORK/proofs/bin/python" -m tests.proofs growth &
GROWTH=$!
"$WORK/proofs/bin/python" -m tests.proofs memory
wait "$GROWTH"
