/*
 * The names of an HPROF file that are needed: of classes, fields, frames, threads. A file has a
 * hundred thousand strings, most of them method signatures that nobody asks for. So the scan only
 * notes which strings are wanted (hsd_hprof_want gives each a small number), and where in the file
 * strings stand; the texts are read afterwards, in one pass over those stretches.
 */
#ifndef HSD_IMPORT_HPROF_NAMES_H
#define HSD_IMPORT_HPROF_NAMES_H

#include "base/arena.h"
#include "base/buffer.h"
#include "import/hprof/record.h"
#include "import/id_table.h"

typedef struct hprof_stretch { /* of the file, with strings inside */
    uint64_t begin, end;
} hprof_stretch;

typedef struct hprof_names {
    hsd_id_table table; /* string id -> number */
    hsd_bytes *texts;   /* by number, 1..table.count; data NULL = not in the file */
    hsd_arena arena;
    hprof_stretch *stretches;
    uint32_t stretch_count, stretch_capacity;
    uint64_t gap_bytes; /* stretches nearer than this are joined */
} hprof_names;

/* The number of a string that will be needed, from 1; 0 for id 0. */
hsd_status hsd_hprof_want(hprof_names *names, uint64_t id, uint32_t *number, hsd_error *err);

/* A string record stands at `begin`. */
hsd_status hsd_hprof_note_string(hprof_names *names, uint64_t begin, uint64_t end, hsd_error *err);

/* Reads the texts of all strings that are wanted, as UTF-8. Moves the source. */
hsd_status hsd_hprof_read_names(hprof_names *names, const hprof_reader *scanned, hsd_error *err);

/* The text of a number; empty if it is 0 or not in the file. */
static inline hsd_bytes hsd_hprof_name(const hprof_names *names, uint32_t number)
{
    const hsd_bytes none = {(const uint8_t *)"", 0};
    return number == 0 || names->texts == NULL || names->texts[number].data == NULL ? none : names->texts[number];
}

uint64_t hsd_hprof_names_memory(const hprof_names *names);
void hsd_hprof_names_release(hprof_names *names);

/*
 * A class name as reports show it: "java.util.HashMap", "int[]", "java.lang.String[][]", whether the
 * file says "[I", "[[Ljava/lang/String;" or "java.lang.String[][]". The address at the end of the name
 * of a hidden class ("+0x00007fe191005000", "/0x0000000800c03000") is left out. Appends to `out`.
 */
hsd_status hsd_hprof_class_name(hsd_bytes raw, hsd_buffer *out, hsd_error *err);

/* Bytes of a raw name without the address of a hidden class at its end; all of it for others. */
size_t hsd_hprof_hidden_size(hsd_bytes raw);

/* The raw name with dots for slashes, cut at `size` bytes: for the tables of known names. */
hsd_bytes hsd_hprof_dotted(hsd_bytes raw, uint8_t *to, size_t size);

/* Modified UTF-8 (NUL in two bytes, surrogates in three each) as UTF-8; other bytes as they are.
 * `to` has room for `size` bytes; returns how many were used. May work in place. */
size_t hsd_hprof_to_utf8(const uint8_t *from, size_t size, uint8_t *to);

static inline bool hsd_hprof_equals(hsd_bytes text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

#endif
