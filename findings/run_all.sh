#!/usr/bin/env bash
# Runs every script of this folder, prints the last line of each and the number of failures, and fails if one failed.
set -uo pipefail
cd "$(dirname "$0")" || exit 1
total=0
failed=0
for script in *.sh; do
    case $script in common.sh | run_all.sh) continue ;; esac
    total=$((total + 1))
    if output=$(bash "$script" 2>&1); then outcome=ok; else outcome=FAILED; fi
    [ $outcome = ok ] || failed=$((failed + 1))
    printf '%-6s  %-42s  %s\n' $outcome "$script" "$(tail -1 <<<"$output")"
done
echo "$total scripts, $failed failed"
[ $failed = 0 ]
