/* utf8.c - see utf8.h. */
#include "decode/base/utf8.h"

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

/* Ascending. */
static const struct {
    uint32_t from, to;
} hidden[] = {
    {0x00, 0x1f},       {0x7f, 0x9f},        {0xad, 0xad},   /* C0, DEL and C1; the soft hyphen */
    {0x34f, 0x34f},     {0x600, 0x605},      {0x61c, 0x61c}, /* joins; signs that enclose numbers; a direction */
    {0x6dd, 0x6dd},     {0x70f, 0x70f},      {0x890, 0x891},     {0x8e2, 0x8e2},
    {0x115f, 0x1160},   {0x17b4, 0x17b5},    {0x180b, 0x180f}, /* fillers, vowels without a shape, selectors */
    {0x200b, 0x200f},   {0x2028, 0x202e},    {0x2060, 0x206f}, /* no width; lines, directions; joiners, directions */
    {0x3164, 0x3164},   {0xe000, 0xf8ff},    {0xfe00, 0xfe0f}, /* a filler; private use; selectors */
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0},    {0xfff0, 0xfffb},   {0xfffe, 0xffff},
    {0x110bd, 0x110bd}, {0x110cd, 0x110cd},  {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0000, 0x10ffff}, /* tags, selectors, private use */
};

bool utf8_hidden(uint32_t c)
{
    if (c >= 0x20 && c < 0x7f)
        return false;
    size_t i = 0;
    while (i < sizeof hidden / sizeof *hidden && hidden[i].to < c)
        i++;
    return i == sizeof hidden / sizeof *hidden || c >= hidden[i].from;
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
