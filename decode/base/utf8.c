/* utf8.c - see utf8.h. */
#include "decode/base/utf8.h"

#include "decode/base/rows.h"

size_t utf8_read(const char *text, size_t n, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text;
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (!len || len > n)
        return 0;
    uint32_t cp = len == 1 ? p[0] : p[0] & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        cp = cp << 6 | (p[i] & 0x3fu);
    }
    if (cp < least[len] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
        return 0;
    *c = cp;
    return len;
}

int utf8_write(uint32_t c, char out[4])
{
    const int len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = len - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[len] | c);
    return len;
}

/* In ascending order. */
static const struct {
    uint32_t from, to;
} hidden[] = {
    {0x00, 0x1f},       {0x7f, 0x9f},        {0xad, 0xad},   /* C0, DEL and C1; the soft hyphen */
    {0x34f, 0x34f},     {0x600, 0x605},      {0x61c, 0x61c}, /* joins; signs around numbers; a direction */
    {0x6dd, 0x6dd},     {0x70f, 0x70f},      {0x890, 0x891},     {0x8e2, 0x8e2},
    {0x115f, 0x1160},   {0x17b4, 0x17b5},    {0x180b, 0x180f}, /* fillers, vowels of no shape, selectors */
    {0x200b, 0x200f},   {0x2028, 0x202e},    {0x2060, 0x206f}, /* no width; lines, directions; joiners */
    {0x3164, 0x3164},   {0xe000, 0xf8ff},    {0xfe00, 0xfe0f}, /* a filler; private use; selectors */
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0},    {0xfff0, 0xfffb},   {0xfffe, 0xffff},
    {0x110bd, 0x110bd}, {0x110cd, 0x110cd},  {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0000, 0x10ffff}, /* tags, selectors, private use */
};

bool utf8_hidden(uint32_t c)
{
    if (c >= 0x20 && c < 0x7f)
        return false;
    const size_t i = find_first(k, sizeof hidden / sizeof *hidden, hidden[k].to >= c);
    return i == sizeof hidden / sizeof *hidden || c >= hidden[i].from;
}

/* In ascending order. Each step-th from the first to the last is a capital; its small letter is at this
 * distance. */
static const struct {
    uint16_t first, last;
    int16_t small;
    uint8_t step;
} capitals[] = {
    {0x41, 0x5a, 32, 1},    {0xc0, 0xd6, 32, 1},    {0xd8, 0xde, 32, 1},     {0x100, 0x12e, 1, 2},
    {0x132, 0x136, 1, 2},   {0x139, 0x147, 1, 2},   {0x14a, 0x176, 1, 2},    {0x178, 0x178, -121, 1},
    {0x179, 0x17d, 1, 2},   {0x1a0, 0x1a4, 1, 2},   {0x1af, 0x1af, 1, 1},    {0x1cd, 0x1db, 1, 2},
    {0x1de, 0x1ee, 1, 2},   {0x1f8, 0x21e, 1, 2},   {0x222, 0x232, 1, 2},    {0x246, 0x24e, 1, 2},
    {0x370, 0x372, 1, 2},   {0x386, 0x386, 38, 1},  {0x388, 0x38a, 37, 1},   {0x38c, 0x38c, 64, 1},
    {0x38e, 0x38f, 63, 1},  {0x391, 0x3a1, 32, 1},  {0x3a3, 0x3ab, 32, 1},   {0x3d8, 0x3ee, 1, 2},
    {0x400, 0x40f, 80, 1},  {0x410, 0x42f, 32, 1},  {0x460, 0x480, 1, 2},    {0x48a, 0x4be, 1, 2},
    {0x4c0, 0x4c0, 15, 1},  {0x4c1, 0x4cd, 1, 2},   {0x4d0, 0x52e, 1, 2},    {0x531, 0x556, 48, 1},
    {0x1e00, 0x1e94, 1, 2}, {0x1ea0, 0x1efe, 1, 2}, {0xff21, 0xff3a, 32, 1},
};

uint32_t utf8_lower(uint32_t c)
{
    const size_t i = find_first(k, sizeof capitals / sizeof *capitals, capitals[k].last >= c);
    if (i == sizeof capitals / sizeof *capitals || c < capitals[i].first ||
        (c - capitals[i].first) % capitals[i].step)
        return c;
    return (uint32_t)((int32_t)c + capitals[i].small);
}

size_t utf8_lower_at(char *p, size_t n)
{
    uint32_t c = 0;
    const size_t len = utf8_read(p, n, &c);
    if (!len)
        return 1;
    const uint32_t low = utf8_lower(c);
    if (low != c)
        (void)utf8_write(low, p);
    return len;
}

bool utf8_plain(const char *p, size_t n)
{
    for (size_t i = 0, len; i < n; i += len) {
        uint32_t c = 0;
        len = utf8_read(p + i, n - i, &c);
        if (!len || (utf8_hidden(c) && c != '\t' && c != '\r'))
            return false;
    }
    return true;
}
