/*
 * Looking for words in a report, for the tests of what it says.
 */
#ifndef TESTS_UNIT_REPORT_SAYS_H
#define TESTS_UNIT_REPORT_SAYS_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <string.h>

#define HOLDS(report, text) cr_expect(strstr(report, text) != NULL, "no \"%s\" in:\n%s", text, report)
#define LACKS(report, text) cr_expect(strstr(report, text) == NULL, "\"%s\" in:\n%s", text, report)

/* The same, wherever lines were broken. */
static inline bool says(const char *report, const char *words)
{
    for (; *report; report++) {
        const char *a = report, *b = words;
        while (*b && *a) {
            if ((*a == ' ' || *a == '\n') && *b == ' ') {
                a += strspn(a, " \n");
                b++;
            } else if (*a++ != *b++) {
                break;
            }
        }
        if (!*b && (b == words || a[-1] == b[-1])) return true;
    }
    return false;
}

#define SAYS(report, words) cr_expect(says(report, words), "no \"%s\" in:\n%s", words, report)

#endif
