#!/bin/sh
# compare.sh - what dump says of every trace at hand, held against Go's own reader: the compare script and its traces lie
# in the folder beside this repository. Without that folder the sums in tests/golden still hold (test_dump).
GOTOP=${GOTOP_FAST:-build/gotop}
if [ ! -x ../shared/compare ]; then
    echo "skipped: ../shared not here"
    exit 77
fi
[ -x "$GOTOP" ] || { echo "$GOTOP was not built"; exit 1; }
case $GOTOP in /*) ;; *) GOTOP=$PWD/$GOTOP ;; esac
exec ../shared/compare "$GOTOP"
