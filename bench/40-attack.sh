#!/bin/sh
# 40-attack.sh - traces that a stranger made of as much of one thing as the format allows: is the time linear in the file? Of each
# shape (tests/support/attack.sh) N and four times N: CPU seconds (the least of RUNS) per 10 MB, and by how much the larger one's is
# more, per byte; a * where that is more than 1.6, or more than 2 s. ATTACK=1 runs it; ATTACK_N: the smaller N.
[ -n "$ATTACK" ] || exit 0
tmp=$DATA/attack
trap 'rm -f "$tmp".*' EXIT
make -s BUILD="$BUILD" "$BUILD/tracegen" >/dev/null || exit 1
made() { # made N
    sh tests/support/attack.sh "$shape" "$1" >"$tmp.txt" && "$BUILD/tracegen" encode "$tmp.txt" "$tmp.$2"
}
cpu() { # cpu FILE ARG.. - seconds of user and system time; the files stand last
    best=
    for i in $(seq "${RUNS:-3}"); do
        used=$(bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1' x "$BUILD/gotop" "$@" 2>&1 | tail -n 1)
        best=$(echo "$used $best" | awk '{ s = $1 + $2; print $3 == "" || s < $3 ? s : $3 }')
    done
    echo "$best"
}
printf '%-12s %8s  %-11s %9s %9s %6s\n' shape KB command s/10MB 4N more
for shape in $(sh tests/support/attack.sh); do
    n=${ATTACK_N:-200000}
    case $shape in *threads | threads-at-once | *generations) n=$((n / 10)) ;; *tasks | names | frames | siblings) n=$((n / 10)) ;; old-ps) n=$((n / 20)) ;; esac
    made "$n" 1 && made $((4 * n)) 4 || continue
    for c in report view3 view5 diff sql slice; do
        for k in 1 4; do
            f=$tmp.$k
            case $c in
            report) s=$(cpu report --threads 1 "$f") ;;
            view*) s=$(cpu --headless --threads 1 --view "${c#view}" "$f") ;;
            diff) s=$(cpu diff --threads 1 "$f" "$f") ;;
            slice) s=$(cpu slice --from 10% --to 60% -o "$tmp.o" "$f") ;;
            sql) s=$(cpu sql --csv --limit 0 "select * from span" --threads 1 "$f") ;;
            esac
            eval "s$k=$s b$k=$(stat -c %s "$f")"
        done
        [ $c = diff ] && b1=$((2 * b1)) b4=$((2 * b4))
        awk -v c=$c -v shape="$shape" -v s1="$s1" -v b1="$b1" -v s4="$s4" -v b4="$b4" 'BEGIN {
            x = s1 / b1 * 1e7; y = s4 / b4 * 1e7; r = x > 0 ? y / x : 1
            far = (s4 > 0.1 && r > 1.6) || y > 2
            printf "%-12s %8d  %-11s %9.2f %9.2f %6.2f%s\n", shape, b4 / 1e3, c, x, y, r, far ? " *" : "" }'
    done
done
