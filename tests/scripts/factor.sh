#!/bin/sh
# factor.sh - memory stays within one factor of the file (docs/SECURITY.md), whatever a stranger made it of: most of a program's
# processors, threads, goroutines, tasks, names, in as few bytes as the format allows. As the kernel counts it, of the shipped program.
. tests/scripts/common
fast=${GOTOP_FAST:-build/gotop} build=${BUILD:-build}
peak=$build/peak tracegen=$build/tracegen
needs "$fast" "$peak" "$tracegen"
FACTOR=100 OWN=8192 # KiB: the program itself and its libraries
held() { # held FILES ARG..
    files=$1; shift
    size=$(($(stat -c %s "$tmp/x") * files / 1024))
    "$peak" "$fast" "$@" >/dev/null 2>"$tmp/err" </dev/null
    kib=$(sed -n 's/^peak: \([0-9]*\) KiB, exit [013]$/\1/p' "$tmp/err")
    if [ -n "$kib" ] && [ "$kib" -le $((OWN + FACTOR * size)) ]; then passed=$((passed + 1)); else
        failed=$((failed + 1)); echo "FAILED: $shape: $*: $kib KiB of a file of $size"; tail -n 3 "$tmp/err"
    fi
}
for shape in $(sh tests/support/attack.sh); do
    n=20000
    case $shape in threads) n=4000 ;; generations) n=2000 ;; old-ps) n=8000 ;; *tasks | names | frames | siblings) n=10000 ;;
    tiny-generations) n=3000 ;; samples) n=400000 ;; all-along) n=100000 ;; esac # so many that time in their square would be past the limit of each process
    sh tests/support/attack.sh $shape $n >"$tmp/text" && "$tracegen" encode "$tmp/text" "$tmp/x" || { echo "$shape can't be made"; exit 1; }
    held 1 report "$tmp/x"
    held 2 diff "$tmp/x" "$tmp/x"
    held 1 --headless --view 3 "$tmp/x"
    case $shape in waits | siblings) held 1 explain --json "$tmp/x" g1 ;; esac
done

# Instances one upon another, each as long as the trace: not all are looked at, and that is said.
sh tests/support/attack.sh piled 20000 >"$tmp/text" && "$tracegen" encode "$tmp/text" "$tmp/x"
"$fast" explain "$tmp/x" task:t >"$tmp/out"
looked=$(sed -n '1s/.* \([0-9]*\) of them looked at.*/\1/p' "$tmp/out")
if [ "${looked:-2000}" -gt 0 ] && [ "${looked:-2000}" -lt 100 ]; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAILED: ${looked:-all} tasks are looked at, each as long as the trace"; head -n 3 "$tmp/out"
fi
finish
