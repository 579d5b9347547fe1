-- Folded stacks for flame graph tools; a line for each stack, the outermost function first, with its nanoseconds.
--
--     gotop sql --tsv --limit 0 -f folded.sql trace.out | sed 1d | flamegraph.pl > off.svg
--
-- Waits and system calls are by the stack they began with. Running and runnable time is by start function, since a trace
-- has no stacks for these but CPU samples. All lines together are the lives of all goroutines.
with time(state, reason, stack, name, ns) as (
         select state, reason, stack, name, sum(dur) from span
         where state in ('waiting', 'system call') group by state, reason, stack, name
         union all
         select state, null, null, name, sum(dur) from span
         where state not in ('waiting', 'system call') group by state, name),
     line(root, at, ns) as (
         select state || coalesce(' (' || reason || ')', ''),
                coalesce((select group_concat(replace(coalesce(func, '?'), ';', '_'), ';')
                          from (select func from frame where frame.stack = time.stack order by depth desc)), name, '?'),
                ns
         from time)
select replace(root, ';', '_') || ';' || at || ' ' || sum(ns) folded from line group by root, at order by sum(ns) desc;
