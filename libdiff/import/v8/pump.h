/*
 * A list of numbers read ahead by a thread of its own: bytes become numbers there while nodes and edges are made of
 * those before.
 *
 *      source ──► numbers.c ──► | batch | batch | … |  ──► hsd_v8_numbers_read of who makes objects
 *                  a thread      HSD_V8_PUMP_SLOTS
 *
 * What is read, and what is said of damage and where, is what is read without it: batches are as long as those that
 * are asked for.
 */
#ifndef HSD_IMPORT_V8_PUMP_H
#define HSD_IMPORT_V8_PUMP_H

#include "import/v8/numbers.h"

#define HSD_V8_PUMP_SLOTS 8u

/* What is read at once: it stays in the first level of the cache. */
#define HSD_V8_BATCH_NUMBERS ((size_t)8192)

/*
 * Starts to read ahead in batches of `batch` numbers. Until the stop the source belongs to the thread. Returns false,
 * and nothing has happened, where there is no thread or no memory for it.
 */
bool hsd_v8_pump_start(hsd_v8_numbers *numbers, size_t batch);

/* hsd_v8_numbers_read of what was read ahead. */
hsd_status hsd_v8_pump_read(hsd_v8_numbers *numbers, uint64_t *out, size_t capacity, size_t *count, hsd_error *err);

/* Ends the thread, wherever it is. Without a pump nothing happens. */
void hsd_v8_pump_stop(hsd_v8_numbers *numbers);

#endif
