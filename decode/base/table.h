/*
 * table.h - uthash as this project uses it: memory from decode/base/mem.h, a hash with this run's secret,
 * and no exit() when out of memory: the item that could not be added has `lost` set then, and is in no
 * table.
 *
 * An item needs `bool lost`, false, beside its UT_hash_handle. Only this file includes uthash.h.
 */
#ifndef GOTOP_DECODE_TABLE_H
#define GOTOP_DECODE_TABLE_H

#include "decode/base/hash.h"
#include "decode/base/mem.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(sz) mem_alloc(sz)
#define uthash_free(p, sz) mem_free(p)
#define uthash_nonfatal_oom(obj) ((obj)->lost = true)
#define HASH_FUNCTION(key, len, hashv) ((hashv) = (unsigned)hash_bytes(key, len))
#include <uthash.h>

#endif
