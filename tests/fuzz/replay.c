/*
 * replay.c - a fuzz entry as a plain program: every file of the folders (or files) named is one input, one
 * test. Compiled without fuzzer, so that the corpus replays wherever `make check` runs.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static unsigned long inputs;

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        return perror(path), 1;
    long n = ftell(f);
    rewind(f);
    /* As large as the input, so that a sanitizer sees a read behind its end. */
    uint8_t *data = malloc(n > 0 ? (size_t)n : 1);
    if (!data || n < 0 || fread(data, 1, (size_t)n, f) != (size_t)n)
        return perror(path), 1;
    fclose(f);
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, (size_t)n);
    free(data);
    inputs++;
    return 0;
}

static int replay(const char *path)
{
    DIR *d = opendir(path);
    int bad = 0;
    if (!d)
        return errno == ENOTDIR ? replay_file(path) : (perror(path), 1);
    for (struct dirent *de; (de = readdir(d));) {
        char name[1024];
        if (de->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, de->d_name);
        bad |= replay_file(name);
    }
    closedir(d);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i]);
    printf("%lu passed, %d failed\n", inputs, bad);
    return bad || !inputs;
}
