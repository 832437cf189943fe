#!/usr/bin/env bash
# Every finding, one after another: which still holds. It needs the network and some minutes; three need
# npm and Node, or Chromium.
set -uo pipefail
changed=0
for script in "$(dirname "${BASH_SOURCE[0]}")"/*.sh; do
    [ "$script" -ef "${BASH_SOURCE[0]}" ] && continue
    printf '\n%s\n' "$(basename "$script")"
    bash "$script" || { changed=$((changed + 1)); echo "changed, or not to be had"; }
done
printf '\n%s\n' "$changed changed or could not be run"
exit "$((changed > 0))"
