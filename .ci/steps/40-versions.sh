# The wheel works on every CPython that it is for: its tests on each other version than the gate's own, and without
# assertions (-OO) on each. Versions are looked for on this machine; one that is not here is taken from a Debian archive
# where there is one. What could not be found is said, and is no failure: another machine has it.
set -euo pipefail

VERSIONS=(3.11 3.12 3.13 3.14)
# Tests of the repository itself, and those whose outcome lies in nothing that a version changes.
LEFT_OUT=(
    tests/structure tests/interop tests/bench tests/acceptance tests/explorer tests/proofs
    tests/test_no_silent_loss.py tests/test_no_silent_loss_across.py tests/test_laws_of_bodies.py
    tests/test_pages.py tests/test_readme.py tests/test_explorer.py tests/test_fuzz.py
)
WHEEL=$(echo "$DIST"/*.whl)
SOURCES="$WORK/sdist"
OWN=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
WHERE="$WORK/versions"
mkdir -p "$WHERE"

# interpreter <version>: one that runs and is that version, by its usual names and places.
interpreter() {
    local found
    for found in "$(command -v "python$1" || true)" \
        "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python \
        "$HOME"/.local/share/uv/python/cpython-"$1".*/bin/python; do
        if [[ -x $found ]] && "$found" -c "
import sys
same = '%d.%d' % sys.version_info[:2] == '$1' and sys.implementation.name == 'cpython'
sys.exit(not same)" 2>/dev/null; then
            echo "$found"
            return
        fi
    done
    return 1
}

# environment <name> <interpreter>: with the wheel and what its tests need.
environment() {
    local folder="$WHERE/$1" pip
    if "$2" -m venv "$folder" 2>/dev/null; then
        pip=("$folder/bin/python" -m pip)
    else
        # an interpreter that came as files has its pip beside it
        "$2" -m venv --without-pip "$folder"
        pip=("$folder/bin/python" "$(echo "$(dirname "$2")"/../share/python-wheels/pip-*.whl)/pip")
    fi
    "${pip[@]}" install -q "$WHEEL[test]"
}

ENVIRONMENTS=()
MISSING=()
for version in "${VERSIONS[@]}"; do
    if [[ $version == "$OWN" ]]; then
        continue
    elif found=$(interpreter "$version") ||
        found=$(bash .ci/newer_python.sh "$version" "$WHERE/files-$version" 2>"$WHERE/why-$version"); then
        environment "$version" "$found"
        ENVIRONMENTS+=("$version")
    else
        MISSING+=("$version")
        tail -n 1 "$WHERE/why-$version"
    fi
done

# shown <command...>: the last line of what it says, or the end of it all where it fails.
shown() {
    "$@" >"$WHERE/said" 2>&1 || { tail -n 60 "$WHERE/said"; exit 1; }
    tail -n 1 "$WHERE/said"
}

cd "$SOURCES"
shown "$WORK/wheel/bin/python" -OO -m tests.optimized
for version in "${ENVIRONMENTS[@]}"; do
    python="$WHERE/$version/bin/python"
    shown "$python" -OO -m tests.optimized
    shown "$python" -m pytest -q -n 2 -p no:cacheprovider "${LEFT_OUT[@]/#/--ignore=}"
done
echo "own: $OWN; further: ${ENVIRONMENTS[*]:-none}; not found: ${MISSING[*]:-none}"
