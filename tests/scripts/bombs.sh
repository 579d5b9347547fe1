#!/bin/sh
# bombs.sh - files that are little and become much, and files without an end: refused or bounded, with a message.
. tests/scripts/common
fast=${GOTOP_FAST:-build/gotop} # what memory is held is asked of the program as it is shipped
peak=${BUILD:-build}/peak
needs "$GOTOP" "$fast" "$peak"
# holds STATUS MIB TEXT ARG.. - ends with the status, holds no more than so much, and says TEXT
holds() {
    want=$1 most=$2 text=$3; shift 3
    "$peak" "$fast" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    kib=$(sed -n 's/^peak: \([0-9]*\) KiB.*/\1/p' "$tmp/err")
    if [ "$got" != "$want" ]; then fail "$*: status $got, not $want"
    elif [ "$kib" -gt $((most * 1024)) ]; then fail "$*: $kib KiB, more than $most MiB"
    elif ! grep -q -- "$text" "$tmp/out" "$tmp/err"; then fail "$*: '$text' isn't said"
    else pass; fi
}
refused() { # refused TEXT ARG..
    text=$1; shift
    "$GOTOP" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ $got = 2 ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -q -- "$text" "$tmp/err"; then pass; else fail "$*: status $got"; fi
}
trace() { printf 'go 1.26 trace\0\0\0'; }
zeros() { head -c "$1" /dev/zero; }

# No trace: nothing behind its first bytes is unpacked.
zeros 512M | zstd -q >"$tmp/zeros.zst"
zeros 100M | gzip -1 >"$tmp/zeros.gz"
for f in zeros.zst zeros.gz; do
    for how in report dump --headless; do holds 2 24 'not a Go execution trace' $how "$tmp/$f"; done
done
holds 2 24 'not a Go execution trace' diff "$tmp/zeros.zst" samples/http-1.26.trace

# A trace's header and then nothing but zeros: a limit, and a ratio that no trace has.
{ trace; zeros 512M; } | zstd -q >"$tmp/head.zst"
{ trace; zeros 100M; } | gzip -1 >"$tmp/head.gz"
for f in head.zst head.gz; do
    for limit in 60M 200M 4G; do holds 2 120 . report --max-memory $limit "$tmp/$f"; done
    holds 2 18 --max-memory report --max-memory 8M "$tmp/$f"
done
cat samples/http-1.26.trace >"$tmp/tail"
zeros 100M >>"$tmp/tail"
zstd -q "$tmp/tail"; rm "$tmp/tail"
holds 3 120 'than 200 times as many' dump "$tmp/tail.zst"

# A window as large as the limit.
{ trace; zeros 512M; } | zstd -q --long=27 >"$tmp/long.zst"
holds 2 18 --max-memory report --max-memory 8M "$tmp/long.zst"

# Pipes: the same, as they come; those without an end are left at once or at the limit.
holdp() { # holdp STATUS MIB TEXT COMMAND - its output is the trace
    want=$1 most=$2 text=$3
    $4 2>/dev/null | "$peak" "$fast" report --max-memory 64M - >"$tmp/out" 2>"$tmp/err"
    got=$?
    kib=$(sed -n 's/^peak: \([0-9]*\) KiB.*/\1/p' "$tmp/err")
    if [ $got = "$want" ] && [ "$kib" -le $((most * 1024)) ] && grep -q -- "$text" "$tmp/err"; then pass
    else fail "$4: status $got, $kib KiB"; fi
}
endless() { trace; cat /dev/zero; }
packed() { endless | gzip -1; }
holdp 2 24 'not a Go execution trace' 'cat /dev/zero'
holdp 2 24 'not a Go execution trace' "cat $tmp/zeros.zst"
holdp 2 80 --max-memory endless
holdp 2 80 . packed

# What is no file.
refused 'is a device' report /dev/zero
refused 'is a device' dump /dev/full
refused 'is a device' --headless /dev/null
refused 'is a device' diff samples/http-1.26.trace /dev/zero
refused 'is a directory' dump "$tmp"
# A folder is read, but not the page that is written into it.
mkdir "$tmp/folder" && cp samples/lock-1.26.trace "$tmp/folder/"
"$GOTOP" report "$tmp/folder" >"$tmp/folder/page" 2>"$tmp/folder/said" && grep -q '66.2%' "$tmp/folder/page" && pass || fail "report DIR >DIR/page"
# A pipe in a folder, which nobody writes to, is not waited for; nor is an empty folder passed over in silence.
mkfifo "$tmp/folder/pipe"; rm -f "$tmp/folder/page"
timeout 20 "$GOTOP" report "$tmp/folder" 2>&1 </dev/null | grep -q '66.2%' && pass || fail "a folder with a pipe"
mkdir "$tmp/empty"
"$GOTOP" report "$tmp/empty" >"$tmp/said" 2>&1 && fail "an empty folder is no trace" || grep -q 'is a directory' "$tmp/said" && pass || fail "an empty folder: $(cat "$tmp/said")"
refused 'is a device or a terminal' report - # standard input is /dev/null here
truncate -s 1T "$tmp/hole" 2>/dev/null && holds 2 24 'not a Go execution trace' report "$tmp/hole"
# A header, or a whole trace, and then a terabyte that isn't there: read up to the hole, at once.
{ trace; } >"$tmp/head"; cp samples/http-1.26.trace "$tmp/whole"
truncate -s 1T "$tmp/head" 2>/dev/null && holds 2 24 'empty from here on' report "$tmp/head"
if truncate -s 1T "$tmp/whole" 2>/dev/null; then
    for how in report dump info --headless; do
        case $how in --headless) want=0 ;; *) want=3 ;; esac
        holds $want 24 '.' $how "$tmp/whole"
    done
    holds 3 24 'the file is empty' report "$tmp/whole"
fi
rm -f "$tmp/head" "$tmp/whole"

# Compressed twice, or in another way: what to do is said.
s=samples/http-1.26.trace
gzip -c $s | gzip -c >"$tmp/twice.gz"; zstd -qc $s | gzip -c >"$tmp/zst.gz"; gzip -c $s | zstd -qc >"$tmp/gz.zst"
refused 'compressed twice.*gzip -dc' report "$tmp/twice.gz"
refused 'compressed twice.*zstd -dc' dump "$tmp/zst.gz"
refused 'compressed twice.*gzip -dc' --headless "$tmp/gz.zst"
printf '\3757zXZ\0\0\4aaaaaaaaaaaa' >"$tmp/xz"; refused 'xz -dc' report "$tmp/xz"
printf 'BZh91AY&SYaaaaaaaa' >"$tmp/bz2"; refused 'bzip2 -dc' info "$tmp/bz2"
tar -cf "$tmp/tar" $s; refused 'tar -xf' report "$tmp/tar"
(cd "$tmp" && tar -cf in.tar tar && zip -q in.zip tar && gzip -c in.zip >zip.gz); refused 'zip archive' report "$tmp/zip.gz"
ln -s loop "$tmp/loop"; refused 'symbolic links' report "$tmp/loop"

mkfifo "$tmp/fifo"
cat samples/http-1.26.trace >"$tmp/fifo" &
if "$GOTOP" report "$tmp/fifo" >"$tmp/out" 2>"$tmp/err" </dev/null; then pass; else fail "a FIFO"; fi
if "$GOTOP" report /dev/stdin <samples/http-1.26.trace >"$tmp/out" 2>"$tmp/err"; then pass; else fail "/dev/stdin"; fi

finish
