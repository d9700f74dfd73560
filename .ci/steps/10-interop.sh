# The official SDKs and real HTTP stacks read what the package writes, and the other way round:
# with the newest generation of the SDKs, and with the one before.
set -euo pipefail

[[ -d tests/interop ]] || exit 0

WHEEL=$(echo "$DIST"/*.whl)

# environment <name> <requirement...>
environment() {
    local name=$1
    shift
    "$PYTHON" -m venv "$WORK/$name"
    "$WORK/$name/bin/pip" install -q "$WHEEL[interop,test]" "$@"
}

# Side by side: an installer mostly waits.
environment newest 'openai>=3' 'anthropic>=2' &
NEWEST=$!
environment previous 'openai<3' 'anthropic<1'
wait "$NEWEST"

for name in newest previous; do
    "$WORK/$name/bin/python" -m pytest -q -n 2 -p no:cacheprovider tests/interop
done
