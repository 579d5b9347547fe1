#!/bin/sh
# attack.sh SHAPE N - a made-up trace in the tests' notation (tracegen.h) that has N of something, as a stranger would
# send it. Without arguments: the shapes' names.
[ $# -gt 1 ] || { echo threads ids created tasks regions names generations ps equal silence frames waits reasons old-ps old-created \
    old-tasks tiny-generations threads-at-once hops piled siblings one-group \
    silent-threads lost-generations samples all-along; exit 0; }
exec awk -v shape="$1" -v n="$2" '
function batch(m, t) { print "batch m=" m " t=" t; last = t }
function begin(m, p, g) {
    print "ProcStatus +1 p=" p " running"
    print "GoStatus +1 g=" g " m=" m " running"
}
function room(i) { if (i % 1000 == 0) batch(7, 1000 + i * 10) } # a batch holds 64 KiB
BEGIN {
    print "go " (shape ~ /^old/ ? "1.21" : "1.26")
    if (shape ~ /^old/) {
        print "batch p=0 t=0\nGoCreate g=1\nProcStart thread=0\nGoStart g=1 seq=1\nGomaxprocs procs=4"
        for (i = 1; i <= n; i++)
            if (shape == "old-ps") print "batch p=" i " t=" 10 + i "\nHeapAlloc +1 bytes=1"
            else if (shape == "old-created") print "GoCreate +1 g=" i + 1
            else print "UserTaskCreate +1 task=" i " parent=0 name=\"t" i "\""
        exit
    }
    if (shape == "threads") {
        for (i = 0; i < n; i++) { batch(100 + i, 100 + i); begin(100 + i, i % 60000, i + 1) }
        exit
    }
    if (shape == "generations") {
        for (i = 0; i < n; i++) {
            print "batch gen=" i + 1 " m=7 t=" 100 + i * 1000; begin(7, 0, 1); print "HeapAlloc +5 bytes=1"
            if (i + 1 < n) print "endgen"
        }
        exit
    }
    if (shape == "tiny-generations") { # each with names of its own
        for (i = 1; i <= n; i++) {
            print "batch gen=" i " m=7 t=" 100 + i * 1000; begin(7, 0, 1)
            print "UserTaskBegin +1 task=" i " parent=0 \"t" i "\" stack=f" i ":1"
            if (i < n) print "endgen"
        }
        exit
    }
    if (shape == "threads-at-once") { # all at one time, each with a P and a goroutine
        for (i = 0; i < n; i++) { print "batch m=" 100 + i " t=100\nProcStatus +0 p=" i " running\nGoStatus +0 g=" i + 1 " m=" 100 + i " running" }
        exit
    }
    if (shape == "silent-threads") { # a generation with many, then one of a single thread after the other
        for (i = 0; i < n; i++) { batch(100 + i, 100 + i); begin(100 + i, i + 10, i + 1) }
        for (i = 0; i < n / 10; i++) { print "endgen\nbatch gen=" i + 2 " m=7 t=" 1000 + n + i * 1000; begin(7, 0, n + 1); print "HeapAlloc +1 bytes=1" }
        exit
    }
    if (shape == "lost-generations") { # many goroutines and Ps, then generations that lack something and tell of none of them
        batch(7, 100); begin(7, 0, n + 1)
        for (i = 1; i <= n; i++) { room(i); print "GoStatus +1 g=" i " m=-1 waiting\nProcStatus +1 p=" i " idle" }
        for (i = 0; i < n / 10; i++) {
            print "endgen\nbatch gen=" i + 2 " m=7 t=" 1000 + n * 10 + i * 1000; begin(7, 0, n + 1)
            print "HeapAlloc +1 bytes=1\nend\nraw 77 77"
        }
        exit
    }
    if (shape == "samples") { # all of one goroutine that never stops
        batch(7, 100); begin(7, 0, 1); print "HeapAlloc @" n + 200 " bytes=1"
        for (i = 0; i < n; i++) { if (i % 2000 == 0) print "batch m=-1 t=100\nCPUSamples"; print "CPUSample time=" i + 150 " m=7 p=0 g=1 stack=main.f" i % 2 ":1" }
        exit
    }
    if (shape == "hops") { # one goroutine, from P to P
        batch(7, 100)
        for (i = 0; i < n; i++) { room(i); print "ProcStatus +1 p=" i " idle" }
        batch(7, 1000 + n * 10); print "GoStatus +1 g=1 m=-1 runnable"
        for (i = 0; i < n; i++) {
            if (i % 1000 == 999) batch(7, 2000 + n * 10 + i * 10)
            print "ProcStart +1 p=" i " p_seq=1\nGoStart +1 g=1 g_seq=" i + 1 "\nGoStop +1 reason=\"preempted\" stack=0\nProcStop +1"
        }
        exit
    }
    batch(7, 100); begin(7, 0, 1)
    if (shape == "all-along") { # of all kinds, one upon another, as long as the trace; each has all that its goroutine does
        for (i = 1; i <= n; i++) { room(i); print "UserTaskBegin +1 task=" i " parent=0 \"t" i % 24 "\" stack=main.t:1" }
        for (i = 1; i <= n; i++) {
            if (i % 1000 == 0) batch(7, 1000 + n * 10 + i * 10)
            print "GoBlock +1 reason=\"sync\" stack=main.f:2"; print "GoUnblock +1 g=1 g_seq=" 2 * i - 1; print "GoStart +1 g=1 g_seq=" 2 * i
        }
        batch(7, 2000 + n * 20)
        for (i = 1; i <= n; i++) { if (i % 1000 == 0) batch(7, 3000 + n * 20 + i * 10); print "UserTaskEnd +1 task=" i " stack=main.t:3" }
        exit
    }
    if (shape == "piled") { # tasks one upon another, waits below them
        for (i = 1; i <= n / 10; i++) { room(i); print "UserTaskBegin +1 task=" i " parent=0 \"t\"" }
        for (i = 1; i <= n; i++) {
            if (i % 1000 == 0) batch(7, 1000 + n * 10 + i * 10)
            print "GoBlock +1 reason=\"sync\" stack=0"; print "GoUnblock +1 g=1 g_seq=" 2 * i - 1; print "GoStart +1 g=1 g_seq=" 2 * i
        }
        exit
    }
    for (i = 1; i <= n; i++) {
        room(i)
        if (shape == "ids") print "GoStatus +1 g=" sprintf("%.0f", i * 4294967296 + 5) " m=-1 waiting" # whatever the hash
        else if (shape == "created") print "GoCreate +1 new_g=" i + 1
        else if (shape == "tasks") print "UserTaskBegin +1 task=" i " parent=0 \"t" i "\""
        else if (shape == "regions") print "UserRegionBegin +1 task=0 \"r\""
        else if (shape == "names") print "UserLog +1 task=0 key=\"k" i "\" value=\"v" i "\""
        else if (shape == "ps") print "ProcStatus +1 p=" i " idle"
        else if (shape == "equal") print "HeapAlloc @100 bytes=" i
        else if (shape == "frames") print "UserTaskBegin +1 task=1 parent=0 \"t\" stack=f" i ":1!" 4096 + i
        else if (shape == "waits") { print "GoBlock +1 reason=\"sleep\" stack=0"; print "GoUnblock +1 g=1 g_seq=" 2 * i - 1; print "GoStart +1 g=1 g_seq=" 2 * i }
        else if (shape == "reasons") { print "GoBlock +1 reason=\"r" i "\" stack=0"; print "GoUnblock +1 g=1 g_seq=" 2 * i - 1; print "GoStart +1 g=1 g_seq=" 2 * i }
        else if (shape == "siblings") { print "GoBlock +1 reason=\"sync\" stack=main.s" i ":1,main.root:2"; print "GoUnblock +1 g=1 g_seq=" 2 * i - 1; print "GoStart +1 g=1 g_seq=" 2 * i }
        else if (shape == "one-group") print "GoCreate +1 new_g=" i + 1 " new_stack=main.f:1"
        else if (shape == "silence") { print "HeapAlloc +1 bytes=1"; if (i == n) print "HeapAlloc +1000000000000000000 bytes=2" }
    }
}'
