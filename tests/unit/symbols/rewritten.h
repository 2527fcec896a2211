/* Captures in memory, rewritten and shown as text. Everything fails the test when the machine does. */
#ifndef HSD_TESTS_REWRITTEN_H
#define HSD_TESTS_REWRITTEN_H

#include "format/rewrite.h"
#include "support/memfile.h"

typedef struct rewritten {
    hsd_status status;
    hsd_error err;
    hsd_rewrite_result result;
    uint8_t *bytes; /* what was written, also where it failed */
    size_t size;
} rewritten;

rewritten rewritten_of(const void *bytes, size_t size, hsd_rewrite_fn replace, void *context);
rewritten rewritten_labels_of(const void *bytes, size_t size, hsd_rewrite_fn replace, hsd_rewrite_label_fn label,
                              void *context);
void rewritten_free(rewritten *r);

/* The text form of a capture (Appendix A), to be freed; NULL when it cannot be opened so. */
char *text_of_capture(const void *bytes, size_t size, hsd_damage damage);

/* Faults that verify finds. */
uint64_t faults_of_capture(const void *bytes, size_t size);

/* The text form with `mark` behind the opening quote of the text of each string and type, without counts of blocks. A
 * text that may grow no more stays. To be freed. */
char *mark_names(const char *text, const char *mark);

#endif
