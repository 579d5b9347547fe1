/* v1_cut.c - see cut.h: the first family. */
#include "decode/cut.h"

enum err_code cut_v1(const struct input *in, const struct dialect *d, const struct cut_range *r, struct sink *out,
                     struct cut_result *res, struct err *e)
{
    (void)in; (void)d; (void)r; (void)out; (void)res;
    return err_set(e, ERR_VERSION, 5, "not yet");
}
