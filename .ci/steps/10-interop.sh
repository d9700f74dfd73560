# The official SDKs and real HTTP stacks read what the package writes, and the other way round:
# with the newest generation of the SDKs, and with the one before.
set -euo pipefail

[[ -d tests/interop ]] || exit 0

# generation <name> <requirement...>: an environment of its own, and all of tests/interop in it.
generation() {
    local name=$1
    shift
    "$PYTHON" -m venv "$WORK/$name"
    "$WORK/$name/bin/pip" install -q '.[interop,test]' "$@"
    "$WORK/$name/bin/python" -m pytest -q -p no:cacheprovider tests/interop
}

generation newest 'openai>=3' 'anthropic>=2'
generation previous 'openai<3' 'anthropic<1'
