# The pages are current, and build as a site without a broken link.
set -euo pipefail

SITE_TOOLS="$WORK/docs-tools"
"$PYTHON" -m venv "$SITE_TOOLS"
"$SITE_TOOLS/bin/pip" install -q "$(echo "$DIST"/*.whl)[docs]"

# What a tool writes is what is committed.
"$SITE_TOOLS/bin/python" -m tools.api_docs --check
cp -r docs "$WORK/docs-before"
"$SITE_TOOLS/bin/python" -m tools.spec_docs
"$SITE_TOOLS/bin/python" -m tools.wires_docs
diff -r "$WORK/docs-before" docs

# A broken link, a heading that is gone or a page that no menu shows is an error (mkdocs.yml). Not quietly: a warning
# that is not shown is not counted.
export NO_MKDOCS_2_WARNING=1
"$SITE_TOOLS/bin/mkdocs" build --site-dir "$WORK/site"

# Nobody's reading is told to another host.
if grep -rlE '<(script|link|img|iframe)[^>]* (src|href)="(https?:)?//' "$WORK/site" --include='*.html'; then
    echo 'a page of the site loads something from another host'
    exit 1
fi
echo "$(find "$WORK/site" -name '*.html' | wc -l) pages"
