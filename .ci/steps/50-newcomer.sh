# A newcomer's first minutes with a release: unpack it, run the one command of its README, copy the README's examples
# into a file and run that. All of it with the environment that the command itself made.
set -euo pipefail

HOME_OF="$WORK/newcomer"
mkdir -p "$HOME_OF/release" "$HOME_OF/empty"
tar -xz --strip-components=1 -C "$HOME_OF/release" -f "$DIST"/*.tar.gz
cd "$HOME_OF/release"

COMMAND=$(awk '
    $0 == "<!-- main-job -->" { marked = 1; next }
    marked && /^```/ { if (open) exit; open = 1; next }
    open { print }
' README.md)
BEGAN=$SECONDS
bash -c "$COMMAND" | tee "$HOME_OF/said"
PROMISED=$(sed -n 's/.*ends with `\([^`]*\)`.*/\1/p' README.md | head -n 1)
[[ -n $PROMISED ]] || { echo 'README.md does not say how the main job ends'; exit 1; }
grep -qF -- "$PROMISED" <(tail -n 1 "$HOME_OF/said") || { echo "the main job did not end with: $PROMISED"; exit 1; }

"$PYTHON" tests/newcomer.py README.md "$PWD/.venv/bin/python" "$HOME_OF/empty"
echo "from unpacking to the last example: $((SECONDS - BEGAN)) s"
