/* v1_ids.c - see v1_ids.h. */
#include "decode/v1/v1_ids.h"

#include <stdlib.h>
#include <string.h>

#include "decode/base/bisect.h"
#include "decode/base/mem.h"

bool v1_ids_add(struct v1_ids *m, uint64_t id, uint64_t val)
{
    if (!mem_room(m->e, m->cap, m->n + 1))
        return false;
    m->e[m->n++] = (struct v1_id){id, val};
    return true;
}

static int by_id(const void *a, const void *b)
{
    const struct v1_id *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->val < y->val ? -1 : x->val > y->val;
}

/* seal_sparse - sort, keep one of each id. Values are offsets: ascending by place in the file. */
static void seal_sparse(struct v1_ids *m, bool last_wins)
{
    size_t n = 0;
    if (m->n)
        qsort(m->e, m->n, sizeof *m->e, by_id);
    for (size_t i = 0; i < m->n; i++) {
        if (!n || m->e[n - 1].id != m->e[i].id)
            m->e[n++] = m->e[i];
        else if (last_wins)
            m->e[n - 1] = m->e[i];
    }
    m->n = n;
}

bool v1_ids_seal(struct v1_ids *m, bool last_wins)
{
    uint64_t max = 0;
    for (size_t i = 0; i < m->n; i++)
        if (m->e[i].id > max)
            max = m->e[i].id;
    if (max > 4 * (uint64_t)m->n + 1024) {
        seal_sparse(m, last_wins);
        return true;
    }
    m->ndense = max + 1;
    m->dense = mem_alloc(m->ndense * sizeof *m->dense);
    if (!m->dense)
        return false;
    memset(m->dense, 0xff, m->ndense * sizeof *m->dense);
    for (size_t i = 0; i < m->n; i++)
        if (last_wins || m->dense[m->e[i].id] == UINT64_MAX)
            m->dense[m->e[i].id] = m->e[i].val;
    mem_free(m->e);
    m->e = NULL;
    m->cap = 0;
    return true;
}

uint64_t *v1_ids_find(struct v1_ids *m, uint64_t id)
{
    if (m->dense)
        return id < m->ndense && m->dense[id] != UINT64_MAX ? &m->dense[id] : NULL;
    size_t at = 0;
    bisect(at, m->n, i, m->e[i].id < id);
    return at < m->n && m->e[at].id == id ? &m->e[at].val : NULL;
}

void v1_ids_free(struct v1_ids *m)
{
    mem_free(m->e);
    mem_free(m->dense);
    memset(m, 0, sizeof *m);
}
