# The official SDKs and real HTTP stacks read what the package writes, and the other way round.
set -euo pipefail

[[ -d tests/interop ]] || exit 0
"$PYTHON" -m venv "$WORK/interop"
"$WORK/interop/bin/pip" install -q '.[interop,test]'
"$WORK/interop/bin/python" -m pytest -q -p no:cacheprovider tests/interop
