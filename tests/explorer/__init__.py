"""docs/explorer.html in a real browser: .ci/steps/70-explorer.sh runs these where one is installed."""
