/*
 * Traces of Perfetto with heap graphs of Android, message by message, and one of a known program, for tests and as
 * seeds of the fuzz target.
 */
#ifndef HSD_TESTS_PERFETTO_WRITER_H
#define HSD_TESTS_PERFETTO_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pf_message { /* zeroed: empty */
    uint8_t *data;
    size_t size, room;
} pf_message;

void pf_number(pf_message *to, uint32_t field, uint64_t value);
void pf_bytes(pf_message *to, uint32_t field, const void *data, size_t size);
void pf_text(pf_message *to, uint32_t field, const char *text);
void pf_numbers(pf_message *to, uint32_t field, const uint64_t *values, size_t count, bool is_packed);
/* The message as a field of another; it is empty again. */
void pf_put(pf_message *to, uint32_t field, pf_message *inner);
void pf_release(pf_message *message);

/*
 * com.shop, pid 17: the class object Shop (0x10), whose static field sessions is an Object[] (0x20) of sessions (0x100,
 * 0x101 …, of 48 bytes, 40 outside the heap). A session has a cart, and of its superclass what comes next and the shop.
 * Every tenth session is nobody's next. A WeakReference (0x30) to a String (0x40) and a SoftReference (0x31) to another
 * (0x41); a String (0x50) that nothing holds.
 */
typedef struct pf_heap {
    unsigned sessions;
    uint64_t pid, sequence;  /* 0 = 17 and 1 */
    uint64_t time_ns;        /* since boot; 0 = 5 s */
    bool is_unpacked;        /* lists of numbers, number by number */
    bool has_field_ids;      /* as before Android 12 */
    bool has_plain_ids;      /* no deltas */
    unsigned packet_objects; /* at most so many in a packet; 0 = 10 */
    unsigned lost;           /* the index of a packet that is left out; 0 = none */
    bool is_unfinished;      /* the last packet is left out */
} pf_heap;

void pf_add_heap(pf_message *trace, const pf_heap *heap);

/* Clocks (boot 1 s = 2023-11-14 22:13:20 UTC) and names of processes: com.shop 17, com.bank 18. */
void pf_add_clocks(pf_message *trace);
void pf_add_processes(pf_message *trace);

/* The trace as one packet of compressed ones. */
void pf_compress(pf_message *trace);

#endif
