/*
 * input.h - a trace file's bytes, decompressed, in memory.
 *
 * A plain file is mapped. A pipe, standard input ("-"), gzip and zstd are read whole into private memory
 * (decode/input/unpack.h), but only if their first bytes are a trace's. Its first bytes show how a file is
 * compressed. A file may also be a member of a zip archive, "ARCHIVE:MEMBER"; the archive's name alone will
 * do if only one of its members is a trace (decode/input/zip.h). A compressed file that ends early or is
 * damaged gives what could be had before; `damage` then says so. Directories, devices and sockets are
 * refused; pipes, and files that say they are empty until they are read (/proc), are not.
 */
#ifndef GOTOP_DECODE_INPUT_H
#define GOTOP_DECODE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/input/feed.h"

struct input {
    const uint8_t *data;
    size_t len;
    void *map; /* what to unmap or free */
    size_t maplen;
    bool mapped;       /* data is mapped from the file itself */
    struct err damage; /* error of the compression; its code is ERR_OK if there is none */
    size_t *gap;       /* of files as one: offsets before which nothing was recorded; freed with map */
    uint32_t ngap;
};

/* input_open - open a trace file. limit: bytes of private memory, the decompressor's included (0 = no
 * limit). Anything beyond goes to the temporary file of mem_limit(), which the caller has called before;
 * without one: ERR_NOMEM. */
enum err_code input_open(const char *path, uint64_t limit, struct input *in, struct err *e);
/* input_stretch - the offset of the first gap after `pos`, or the input's end. */
size_t input_stretch(const struct input *in, size_t pos);
/* input_member - the member if path is "ARCHIVE:MEMBER" and no file has that name; the archive's name is
 * stored in buf. Else NULL. */
const char *input_member(const char *path, char *buf, size_t size);
/* input_archive - map a zip archive as it is. false: it is not an archive, or can't be read. */
bool input_archive(const char *path, struct input *in);
void input_close(struct input *in);

/* input_is_far - whether the name is a URL, not a file: some seconds of trace are fetched from the program.
 * input_far_opts - set how URLs are fetched from now on. seconds 0: INPUT_FAR_S. The options are borrowed. */
enum { INPUT_FAR_S = 5 }; /* default number of seconds */
bool input_is_far(const char *path);
void input_far_opts(const struct feed_opts *o);
/*
 * input_far_add - a name from the command line: the one by which it goes from now on, in texts and for
 * input_open(): of a URL without user and password. Kept for good, at most INPUT_FARS of them; NULL: there
 * are more. input_far_url - as it was given.
 */
enum { INPUT_FARS = 64 };
const char *input_far_add(const char *name);
const char *input_far_url(const char *name);

#endif
