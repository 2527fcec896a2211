/*
 * Names of threads without their numbers.
 */
#include "base/pool_name.h"

#include <string.h>

static const char prefix[] = "thread \"";

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

hsd_text hsd_pool_name(hsd_text root, char buffer[HSD_POOL_NAME_BYTES])
{
    const size_t start = sizeof prefix - 1;
    size_t used = 0, at = start;
    if (root.size <= start || root.size > HSD_POOL_NAME_BYTES || memcmp(root.data, prefix, start) != 0) return root;
    const char *quote = memchr(root.data + start, '"', root.size - start);
    if (quote == NULL) return root;
    const size_t end = (size_t)(quote - root.data);
    memcpy(buffer, root.data, start);
    used = start;
    while (at < end) {
        if (is_digit(root.data[at])) {
            buffer[used++] = '*';
            while (at < end && is_digit(root.data[at]))
                at++;
        } else {
            buffer[used++] = root.data[at++];
        }
    }
    memcpy(buffer + used, root.data + end, root.size - end);
    return (hsd_text){buffer, used + root.size - end};
}
