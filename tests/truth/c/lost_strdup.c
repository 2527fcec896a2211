/* The text of a header is copied for a comparison, and the copy is forgotten. */
#include "program.h"

static long matches;

static void setup(void) {}

static __attribute__((noinline)) char *lower_case(const char *text)
{
    char *copy = strdup(text); /* truth: copied */
    for (char *c = copy; *c != '\0'; c++)
        if (*c >= 'A' && *c <= 'Z') *c += 'a' - 'A';
    return copy;
}

static __attribute__((noinline)) int is_json(const char *header)
{
    return strcmp(lower_case(header), "content-type: application/json; charset=utf-8") == 0;
}

static void plant(long number)
{
    matches += is_json(number % 2 ? "Content-Type: application/JSON; charset=UTF-8"
                                  : "Content-Type: application/XHTM; charset=UTF-8");
}
