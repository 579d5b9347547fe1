/*
 * sql_groups.c - the rows of a query, group by group. SQLite would copy each row into a sorter, which takes
 * a hundred bytes and a microsecond. Here a group is a chain of small blocks with the numbers of its rows,
 * as differences; the table then returns its rows in that order.
 */

#include "decode/base/hash.h"
#include "decode/base/idmap.h"
#include "decode/base/mem.h"
#include "triage/sql/sql_priv.h"

enum { BLOCK = 60, NUMBER = 10 /* maximum bytes of a difference */ };

struct block {
    uint32_t next; /* the group's next one; of its last: NO_LANE */
    uint8_t byte[BLOCK];
};
struct rows_alike {
    uint64_t last; /* the number that was added last */
    uint32_t first, at;
    uint8_t used; /* bytes of block `at` */
};
struct sql_groups {
    struct idmap of; /* by key */
    struct rows_alike *group;
    size_t n, cap;
    struct block *block;
    size_t blocks, blocks_cap;
    /* while they are given: */
    size_t now;
    uint32_t at;
    uint8_t byte;
    uint64_t row;
};

void sql_groups_free(struct sql_groups *g)
{
    if (g) {
        idmap_free(&g->of);
        mem_free(g->group);
        mem_free(g->block);
    }
    mem_free(g);
}

static uint32_t new_block(struct sql_groups *g)
{
    if (g->blocks >= NO_LANE || !mem_room(g->block, g->blocks_cap, g->blocks + 1))
        return NO_LANE;
    g->block[g->blocks].next = NO_LANE;
    return (uint32_t)g->blocks++;
}

static struct rows_alike *group_of(struct sql_groups *g, uint64_t key)
{
    const uint32_t known = idmap_get(&g->of, key);
    if (known != IDMAP_NONE)
        return &g->group[known];
    const uint32_t first = new_block(g);
    if (first == NO_LANE || g->n >= NO_LANE - 1 || !mem_room(g->group, g->cap, g->n + 1) ||
        !idmap_put(&g->of, key, (uint32_t)g->n))
        return NULL;
    g->group[g->n] = (struct rows_alike){0, first, first, 0};
    return &g->group[g->n++];
}

/* Numbers grow in the order in which a table has its rows, except when a lane comes once more: then the
 * difference wraps. */
static bool add_to_group(struct sql_groups *g, uint64_t key, uint64_t row)
{
    struct rows_alike *r = group_of(g, key);
    if (!r)
        return false;
    if (r->used + NUMBER > BLOCK) {
        const uint32_t next = new_block(g);
        if (next == NO_LANE)
            return false;
        g->block[r->at].byte[r->used] = 0; /* no difference begins so */
        g->block[r->at].next = next;
        r->at = next;
        r->used = 0;
    }
    uint8_t *p = g->block[r->at].byte + r->used;
    uint64_t d = row + 1 - r->last; /* not 0 */
    r->last = row + 1;
    for (; d > 127; d >>= 7)
        *p++ = (uint8_t)(d & 127) | 128;
    *p++ = (uint8_t)d;
    r->used = (uint8_t)(p - g->block[r->at].byte);
    if (r->used < BLOCK)
        *p = 0;
    return true;
}

static uint64_t group_key(struct sql_cursor *c)
{
    uint64_t h = hash_first(sql_key(c->s, c->table->cell(c, c->by[0])));
    for (unsigned i = 1; i < c->nby; i++)
        h = hash_next(h, sql_key(c->s, c->table->cell(c, c->by[i])));
    return hash_last(h);
}

bool sql_group(struct sql_cursor *c, bool (*next)(struct sql_cursor *c))
{
    bool ok = sql_canon(c->s) != NULL;
    sql_groups_free(c->groups);
    struct sql_groups *g = c->groups = mem_zalloc(sizeof *g);
    for (uint32_t n = 1; g && ok && !c->eof; n++)
        ok = add_to_group(g, group_key(c), (uint64_t)c->rowid) && next(c) && ((n & 8191) || !sql_stop(c->s));
    if (g)
        g->at = g->n ? g->group[0].first : NO_LANE;
    c->eof = false;
    return g && ok;
}

/* Goes to the next row of this group. */
static bool group_next(struct sql_groups *g)
{
    while (g->at != NO_LANE && (g->byte == BLOCK || !g->block[g->at].byte[g->byte])) {
        g->at = g->block[g->at].next;
        g->byte = 0;
    }
    if (g->at == NO_LANE)
        return false;
    const uint8_t *p = g->block[g->at].byte + g->byte;
    uint64_t d = 0;
    for (unsigned shift = 0;; shift += 7) {
        d |= (uint64_t)(*p & 127) << shift;
        if (!(*p++ & 128))
            break;
    }
    g->byte = (uint8_t)(p - g->block[g->at].byte);
    g->row += d;
    return true;
}

bool sql_group_next(struct sql_cursor *c, uint64_t *rowid)
{
    struct sql_groups *g = c->groups;
    while (g->now < g->n && !group_next(g)) {
        g->now++;
        g->at = g->now < g->n ? g->group[g->now].first : NO_LANE;
        g->byte = 0;
        g->row = 0;
    }
    *rowid = g->row - 1;
    return g->now < g->n;
}
