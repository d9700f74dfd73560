# The coverage-guided fuzzer (fuzz/) for a few seconds a target, from the golden files, the same each time.
set -euo pipefail

"$PYTHON" -m venv "$WORK/fuzzing"
"$WORK/fuzzing/bin/pip" install -q "$(echo "$DIST"/*.whl)" 'atheris>=3'

# fuzz <target>: fails for a finding, and for a run that hardly ran.
fuzz() {
    local log="$WORK/fuzzing/$1.log"
    "$WORK/fuzzing/bin/python" -m fuzz "$1" "$WORK/fuzzing/$1" -seed=1 -max_total_time=12 -max_len=16384 \
        -timeout=60 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$WORK/fuzzing/" >"$log" 2>&1 ||
        { tail -n 40 "$log"; return 1; }
    local runs
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "$1: $runs runs"
    ((runs >= 100))
}

failed=0
running=()
while read -r target; do
    fuzz "$target" &
    running+=($!)
    if ((${#running[@]} == 2)); then
        wait "${running[0]}" || failed=1
        running=("${running[1]}")
    fi
done < <("$WORK/fuzzing/bin/python" -c "from fuzz.targets import TARGETS; print(*TARGETS, sep=chr(10))")
for each in "${running[@]}"; do wait "$each" || failed=1; done
exit "$failed"
