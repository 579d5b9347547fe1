#!/bin/sh
# dist.sh - `make dist` makes the same bytes wherever and whenever it is called.
git rev-parse HEAD >/dev/null 2>&1 || { echo "not a checkout: there is nothing to pack"; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS
make -s BUILD="$tmp/one" dist >/dev/null || exit 1
(umask 077; TZ=Asia/Tokyo LC_ALL=C GZIP= make -s BUILD="$tmp/two" dist >/dev/null) || exit 1
a=$(echo "$tmp"/one/dist/gotop-*.tar.gz) b=$(echo "$tmp"/two/dist/gotop-*.tar.gz)
cmp "$a" "$b" || exit 1
n=$(tar -tzf "$a" | grep -vc '/$')
[ "$n" = "$(git ls-tree -r --name-only HEAD | wc -l | tr -d ' ')" ] || { echo "$n files, not what is committed"; exit 1; }
[ "$(tar -tzf "$a" | grep -vc '^gotop-[0-9.]*/')" = 0 ] || { echo "a file stands outside its folder"; exit 1; }
