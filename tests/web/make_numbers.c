/*
 * Writes libdiff/web/test/numbers.txt, what report/number.c and the public format functions make of numbers: the page
 * has to write the same (format.test.ts there). Built and run by hand when those change, from the root of the project:
 *
 *      cc -I libdiff -I libdiff/include tests/web/make_numbers.c libdiff/report/number.c -o /tmp/make_numbers
 *      /tmp/make_numbers > libdiff/web/test/numbers.txt
 *
 * A line: function, arguments, text; separated by tabs.
 */
#include <inttypes.h>
#include <stdio.h>

#include "report/words/number.h"

static char text[HSD_NUMBER_CHARS];

static void one(int64_t value)
{
    const uint64_t magnitude = hsd_magnitude(value);
    printf("bytes\t%" PRIu64 "\t%s\n", magnitude, hsd_format_bytes(text, magnitude));
    printf("count\t%" PRIu64 "\t%s\n", magnitude, hsd_format_count(text, magnitude));
    printf("exact\t%" PRIu64 "\t%s\n", magnitude, hsd_format_exact(text, magnitude));
    printf("bytesSigned\t%" PRId64 "\t%s\n", value, hsd_format_bytes_signed(text, value));
    printf("countSigned\t%" PRId64 "\t%s\n", value, hsd_format_count_signed(text, value));
    printf("exactSigned\t%" PRId64 "\t%s\n", value, hsd_format_exact_signed(text, value));
}

static void two(uint64_t a, uint64_t b)
{
    printf("percent\t%" PRIu64 " %" PRIu64 "\t%s\n", a, b, hsd_format_percent(text, a, b));
    printf("percentOf\t%" PRIu64 " %" PRIu64 "\t%u\n", a, b, hsd_percent_of((int64_t)a, (int64_t)b));
    if (a <= b) printf("share\t%" PRIu64 " %" PRIu64 "\t%s\n", a, b, hsd_format_share(text, a, b));
}

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

int main(void)
{
    static const int64_t edges[] = {0,
                                    1,
                                    999,
                                    1000,
                                    1023,
                                    1024,
                                    1025,
                                    10188,
                                    10189,
                                    10239,
                                    10240,
                                    10485,
                                    10486,
                                    1048524,
                                    1048525,
                                    1048575,
                                    1048576,
                                    10480517,
                                    10480518,
                                    1073689395,
                                    1073689396,
                                    1073741824,
                                    8796093022207,
                                    8796093022208,
                                    4503599627370495,
                                    4503599627370496,
                                    9007199254740991};
    const size_t count = sizeof edges / sizeof edges[0];
    for (size_t i = 0; i < count; i++) {
        one(edges[i]);
        one(-edges[i]);
        for (size_t k = i % 3; k < count; k += 3)
            two((uint64_t)edges[i], (uint64_t)edges[k]);
    }
    for (int i = 0; i < 120; i++) {
        const uint64_t a = (next() >> 11) >> (next() % 53), b = (next() >> 11) >> (next() % 53);
        one((int64_t)a);
        one(-(int64_t)b);
        two(a, b);
    }
    for (uint64_t ms = 0, step = 1; ms < 400000000000u; ms += step, step += step / 3 + 17)
        printf("duration\t%" PRIu64 "\t%s\n", ms, hsd_format_duration(text, ms * 1000000u));
    return 0;
}
