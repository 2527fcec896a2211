/* One request in ten is refused, and the function returns without freeing what it had parsed by then. */
#include "program.h"

struct parsed {
    char *method, *path;
};

static long refused;

static void setup(void) {}

static __attribute__((noinline)) char *parse_field(const char *text, size_t size)
{
    char *field = malloc(size); /* truth: parsed */
    snprintf(field, size, "%s", text);
    return field;
}

static __attribute__((noinline)) int handle_request(long number)
{
    struct parsed p = {parse_field("GET", 16), parse_field("/index.html", 480)};
    if (number % 10 == 0) return -1;
    free(p.method);
    free(p.path);
    return 0;
}

static void plant(long number) { refused += handle_request(number) != 0; }
