/*
 * tracegen_main.c - the notation from the command line: tracegen encode|decode [FILE [OUT]].
 * FILE and OUT default to standard input and output.
 */
#include <stdio.h>
#include <string.h>

#include "tests/support/tracegen.h"

static int slurp(FILE *f, struct tracegen_buf *b)
{
    char chunk[65536];
    size_t n;
    tracegen_put(b, "", 0);
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        tracegen_put(b, chunk, n);
    return ferror(f);
}

int main(int argc, char **argv)
{
    struct tracegen_buf in = {0}, out = {0};
    char err[300];
    if (argc < 2 || argc > 4 || (strcmp(argv[1], "encode") != 0 && strcmp(argv[1], "decode") != 0)) {
        fprintf(stderr, "usage: tracegen encode|decode [FILE [OUT]]\n");
        return 2;
    }
    FILE *f = argc > 2 ? fopen(argv[2], "rb") : stdin;
    if (!f || slurp(f, &in)) {
        perror(argc > 2 ? argv[2] : "standard input");
        return 2;
    }
    if (argv[1][0] == 'd') {
        tracegen_decode(in.p, in.n, &out);
    } else if (tracegen_encode((const char *)in.p, &out, err, sizeof err) != 0) {
        fprintf(stderr, "%s: %s\n", argc > 2 ? argv[2] : "standard input", err);
        return 1;
    }
    FILE *o = argc > 3 ? fopen(argv[3], "wb") : stdout;
    if (!o || fwrite(out.p, 1, out.n, o) != out.n || fclose(o) != 0) {
        perror(argc > 3 ? argv[3] : "standard output");
        return 2;
    }
    if (argc > 2)
        fclose(f);
    tracegen_free(&in);
    tracegen_free(&out);
    return 0;
}
