/*
 * The strings of a snapshot, which stand last and are meant by number everywhere else:
 *
 *      0           "<dummy>", as V8 has it
 *      1 …         words of the exporter's own
 *      then        the strings of the capture, in its order, each with a number that is known before its text is needed: only the
 *                  numbers are in memory, the texts are read again at the end
 *      then        texts that are met on the way: types, numbers as names, values. Interned as far as the memory goes; what is met beyond
 *                  is written as often as it comes
 *
 * DevTools parses the list as one string of JavaScript, which has a limit: HSD_SNAP_MOST_BYTES. Texts that are met on
 * the way and would pass it are left out and counted, and the number is that of "".
 */
#ifndef HSD_EXPORT_HEAPSNAPSHOT_NAMES_H
#define HSD_EXPORT_HEAPSNAPSHOT_NAMES_H

#include "base/id_map.h"
#include "base/names.h"
#include "export/heapsnapshot/spool.h"

#define HSD_SNAP_MOST_BYTES (((uint64_t)1 << 29) - 24 - 4096)

/* Numbers of the exporter's own words. */
typedef enum hsd_snap_word {
    HSD_SNAP_DUMMY,
    HSD_SNAP_EMPTY,
    HSD_SNAP_GC_ROOTS,
    HSD_SNAP_OTHER_ROOTS,
    HSD_SNAP_ALL_OBJECTS,
    HSD_SNAP_UNREFERENCED,
    HSD_SNAP_GLOBAL,
    HSD_SNAP_DOCUMENTS,
    HSD_SNAP_INTERNAL,
    HSD_SNAP_VARIABLE,
    HSD_SNAP_KEY,
    HSD_SNAP_CLASS,
    HSD_SNAP_NAME,
    HSD_SNAP_VALUE,
    HSD_SNAP_FIRST_KIND, /* + hsc_root_kind */
    HSD_SNAP_WORD_COUNT = HSD_SNAP_FIRST_KIND + 12
} hsd_snap_word;

typedef struct hsd_snap_names {
    hsd_capture *capture;
    hsd_id_map numbers; /* string of the capture -> number; none: one of its words, found in `words` */
    hsd_names words, met;
    uint64_t memory_bytes; /* for `met` */
    hsd_snap_spool texts;  /* of `met` and beyond, as JSON */
    hsd_buffer quoted;
    uint32_t next; /* number */
    uint32_t first_met;
    uint64_t bytes; /* of the list so far, the capture's strings included */
    uint64_t left_out;
} hsd_snap_names;

/* Reads the strings of the capture once. HSD_E_OVER_BUDGET: their numbers take more than the memory. Release it then,
 * too. */
hsd_status hsd_snap_names_open(hsd_snap_names *names, hsd_capture *capture, uint64_t memory_bytes,
                               hsd_temp_space *space, hsd_error *err);

/* The number of a string of the capture; that of "" for 0 and for one that is not there. */
static inline uint32_t hsd_snap_names_of(const hsd_snap_names *names, uint32_t string)
{
    const uint32_t number = hsd_id_map_get(&names->numbers, string);
    return number == HSD_ID_NONE ? (uint32_t)HSD_SNAP_EMPTY : number;
}

/* The number of a text. */
hsd_status hsd_snap_names_put(hsd_snap_names *names, hsd_bytes text, uint32_t *number, hsd_error *err);

/* The number of a number in decimal. */
hsd_status hsd_snap_names_put_number(hsd_snap_names *names, uint64_t value, uint32_t *number, hsd_error *err);

/* Writes what stands between the brackets. */
hsd_status hsd_snap_names_write(hsd_snap_names *names, hsd_export *x, hsd_error *err);

void hsd_snap_names_release(hsd_snap_names *names);

#endif
