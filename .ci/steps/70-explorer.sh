# docs/explorer.html in headless Chromium: every case, by pointer and by keyboard, wide and narrow, light and dark.
set -euo pipefail

if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
    if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
        echo 'the explorer is tested in Chromium: install the packages chromium and chromium-driver'
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    if ! apt-get update -qq ||
        ! apt-get install -y -qq --no-install-recommends chromium chromium-driver; then
        echo 'chromium and chromium-driver cannot be installed, so the explorer cannot be tested'
        exit 1
    fi
fi

"$PYTHON" -m venv "$WORK/explorer"
"$WORK/explorer/bin/pip" install -q "$(echo "$DIST"/*.whl)[explorer,test]"
"$WORK/explorer/bin/python" -m pytest -q -p no:cacheprovider tests/explorer
