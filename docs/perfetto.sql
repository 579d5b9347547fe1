-- A trace as Chrome's JSON, for ui.perfetto.dev and trace_processor; a line for each event.
--
--     gotop sql --tsv --limit 0 -f perfetto.sql -o trace.json trace.out
--
-- Perfetto's page is slow beyond about a million slices. The numbers below select a part of the trace: ns('40%') and
-- ns('1.2s') are times, too. Goroutines are threads of a process for their start function; its number (pid) is 10 and more.
with part(t0, t1) as (select 0, dur + 1 from trace),
     who(g, name, pid) as (select g, name, 9 + dense_rank() over (order by name) from goroutine),
     -- a slice: pid, tid, begin, end, name, and what is told of it
     slice(pid, tid, t0, t1, name, args) as (
         select who.pid, who.g, span.t0, span.t1, state || coalesce(' (' || reason || ')', ''),
                json_object('at', user_func, 'innermost', func, 'processor', p, 'woken by', waker, 'its function', waker_name)
         from part join span on span.t0 < part.t1 and span.t1 > part.t0 join who using (g) where state <> 'not recorded'
         union all
         select 1, p, s.t0, s.t1, iif(state = 'running', coalesce(s.name, state), state || coalesce(' ' || s.name, '')), json_object('goroutine', g)
         from part join proc_span s on s.t0 < part.t1 and s.t1 > part.t0 where state not in ('idle', 'not recorded')
         union all
         select 2, iif(kind = 'mark', 1, 2), r.t0, r.t1, coalesce(reason, kind), json_object('goroutine', g, 'function', r.name)
         from part join range r on r.t0 < part.t1 and r.t1 > part.t0 where kind in ('mark', 'stop-the-world')),
     -- what overlaps others of its goroutine: pid, id, begin, end, name, what it is
     apart(pid, id, t0, t1, name, cat, args) as (
         select 3, 't' || task, t.t0, t.t1, name, 'task', json_object('task', task, 'parent', parent, 'goroutine', g)
         from part join task t on t.t0 < part.t1 and t.t1 > part.t0
         union all
         select pid, 'r' || r.g || '.' || r.t0 || '.' || depth, r.t0, r.t1, r.name, 'region', json_object('goroutine', r.g, 'task', task)
         from part join region r on r.t0 < part.t1 and r.t1 > part.t0 join who using (g)),
     value(name, t, v) as (
         select m.name, max(m.t0, part.t0), value from part join metric m on m.t0 < part.t1 and m.t1 > part.t0
         union all
         select 'runnable goroutines', t, sum(d) over (order by t rows unbounded preceding) from (
             select max(s.t0, part.t0) t, 1 d from part join span s on s.t0 < part.t1 and s.t1 > part.t0 where state = 'runnable'
             union all
             select min(s.t1, part.t1), -1 from part join span s on s.t0 < part.t1 and s.t1 > part.t0 where state = 'runnable')),
     event(e) as (
         select json_object('ph', 'M', 'name', 'process_name', 'pid', pid, 'args', json_object('name', of)) from (
             select 1 pid, 'processors' of union all values (2, 'collector, stops, counters'), (3, 'tasks')
             union all select pid, coalesce(name, 'start unknown') from who group by pid)
         union all
         select json_object('ph', 'M', 'name', 'thread_name', 'pid', pid, 'tid', tid, 'args', json_object('name', of)) from (
             select 1 pid, p tid, 'P' || p of from proc union all values (2, 1, 'collector'), (2, 2, 'stop-the-world')
             union all select pid, g, 'G' || g from who)
         union all
         select json_object('ph', 'X', 'pid', pid, 'tid', tid, 'ts', max(slice.t0, part.t0) / 1e3,
                            'dur', (min(slice.t1, part.t1) - max(slice.t0, part.t0)) / 1e3, 'name', name, 'args', json(args)) from part, slice
         union all
         select json_object('ph', 'b', 'pid', pid, 'id', id, 'cat', cat, 'ts', max(apart.t0, part.t0) / 1e3, 'name', name, 'args', json(args))
         from part, apart
         union all
         select json_object('ph', 'e', 'pid', pid, 'id', id, 'cat', cat, 'ts', min(apart.t1, part.t1) / 1e3, 'name', name) from part, apart
         union all
         select json_object('ph', 'i', 's', 't', 'pid', pid, 'tid', log.g, 'ts', t / 1e3, 'name', coalesce(category || ': ', '') || message)
         from part join log on log.t >= part.t0 and log.t < part.t1 join who using (g)
         union all
         select json_object('ph', 'C', 'pid', 2, 'name', name, 'ts', t / 1e3, 'args', json_object('value', v)) from value)
select e || ',' "[" from event
union all select '{}]';
