/*
 * A reader of .hs captures written from capture/FORMAT.md alone: it shares no code and no header with the library, only
 * zstd and xxHash. It prints the text form of appendix A; the tests hold that against what the library prints, and so
 * the document against the code. Numbers in comments are rules of FORMAT.md. It reads the whole file into memory, front
 * to back.
 *
 * usage: second_reader FILE        exit status: 0 complete, 1 incomplete, 2 refused (the rule stands on standard error)
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum {
    INFO = 1,
    STRINGS,
    TYPES,
    LABELS,
    SITES,
    OBJECTS,
    EDGES,
    ROOTS,
    THREADS,
    FRAMES,
    METRICS,
    LOSSES,
    TYPE_TOTALS,
    GROUP_TOTALS,
    INDEX,
    END,
    TYPES_PLAIN,
    LIVE_TOTALS = 128,
    ROOT_TOTALS,
    PLACES,
    SITE_TOTALS
};

typedef struct block {
    unsigned type, flags, codec;
    uint32_t records, raw_bytes, stored_bytes;
    uint64_t number, first_ordinal, offset;
    uint8_t *raw; /* payload, decompressed */
} block;

static uint8_t *file;
static block *blocks;
static size_t file_bytes, block_count;
static uint64_t seed; /* S of 1.3 */
static bool ordinals, has_end, is_salvaged, is_baseline;

static void refuse(const char *rule, uint64_t offset, const char *why)
{
    fflush(stdout);
    fprintf(stderr, "rule %s at byte %" PRIu64 ": %s\n", rule, offset, why);
    exit(2);
}

/* Zeroed, and never given back: the program is short. The chain keeps it reachable for leak checkers. */
static void *allocate(size_t count, size_t size)
{
    static void **chain;
    void **memory = calloc(1, sizeof *memory + count * size);
    if (memory == NULL) exit(2);
    *memory = chain;
    return (chain = memory) + 1;
}

static uint64_t number(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* ---- columns, section 5 ---- */

typedef struct column_view {
    unsigned number, coding, transform, shift;
    uint32_t count, bytes;
    const uint8_t *data;
} column_view;

/* Rows of the tables below: the plain types, then the sums of 6.17 to 6.19, and 6.20. */
#define ROW(type) ((type) < LIVE_TOTALS ? (type) : (type)-LIVE_TOTALS + TYPES_PLAIN)
enum { ROWS = TYPES_PLAIN + 4 };

static bool is_sum(unsigned type) { return type >= LIVE_TOTALS && type <= PLACES; }

/* The columns of each type of block, for 5.2. */
static const uint8_t known[ROWS][20] = {[STRINGS] = {32, 33, 34},
                                        [TYPES] = {8, 32, 33, 34},
                                        [LABELS] = {8, 32, 35, 36},
                                        [SITES] = {32, 36, 37, 38, 39, 44},
                                        [OBJECTS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19},
                                        [EDGES] = {17, 18, 19, 20},
                                        [ROOTS] = {8, 35, 36, 37, 40, 41},
                                        [THREADS] = {32, 36},
                                        [FRAMES] = {36, 37, 38, 39, 41},
                                        [METRICS] = {33, 34, 42, 43},
                                        [LOSSES] = {33, 34, 43},
                                        [TYPE_TOTALS] = {32, 48, 49, 50, 51, 52, 53, 54},
                                        [GROUP_TOTALS] = {32, 35, 48, 49},
                                        [INDEX] = {56, 57, 58, 59, 60, 61},
                                        [ROW(LIVE_TOTALS)] = {32, 48, 49, 55, 62, 63},
                                        [ROW(ROOT_TOTALS)] = {8, 32, 35, 48, 49, 55},
                                        [ROW(PLACES)] = {8, 32, 36, 37, 48, 49},
                                        [ROW(SITE_TOTALS)] = {6, 32, 48, 49}};

static bool find_column(const block *b, unsigned wanted, column_view *out)
{
    bool found = false;
    unsigned last = 0;
    for (uint32_t at = 0; at < b->raw_bytes;) {
        const uint8_t *p = b->raw + at;
        if (b->raw_bytes - at < 12) refuse("5.1", b->offset, "a column header does not fit");
        const column_view c = {
            p[0], p[1] & 15, p[1] >> 4, p[2], (uint32_t)number(p + 4, 4), (uint32_t)number(p + 8, 4), p + 12};
        if (p[3] != 0 || c.shift > 63) refuse("5.8", b->offset, "reserved byte or shift");
        if (c.number <= last) refuse("5.2", b->offset, "columns do not ascend");
        if (c.number < 128 && memchr(known[ROW(b->type)], (int)c.number, 20) == NULL)
            refuse("5.2", b->offset, "an unknown column");
        if (b->raw_bytes - at - 12 < c.bytes) refuse("5.1", b->offset, "a column does not fit");
        if (c.number == wanted) *out = c, found = true;
        last = c.number;
        at += 12 + c.bytes;
    }
    return found;
}

static uint64_t limit_of(unsigned wanted) /* 5.9, 6.14 */
{
    if (memchr("\2\6\11\12\22\40\44\45\46", (int)wanted, 9) != NULL) return INT32_MAX;
    if (memchr("\7\10\15\20\41\43\47\51\52\54\63", (int)wanted, 11) != NULL) return UINT32_MAX;
    return wanted == 52 ? 64 : UINT64_MAX;
}

/* The values of a column that must hold `count` of them, zeros if it is absent; `sources` for transform 2. */
static uint64_t *values(const block *b, unsigned wanted, size_t count, const uint64_t *sources)
{
    const uint64_t limit = limit_of(wanted);
    uint64_t *out = allocate(count, sizeof *out);
    column_view c;
    if (!find_column(b, wanted, &c)) return out;
    if (c.count != count || count == 0) refuse("5.3", b->offset, "a column of the wrong length");
    if (c.transform > 2 || (c.transform == 2 && sources == NULL))
        refuse("5.7", b->offset, "a transform that may not be here");
    const uint8_t *at = c.data + (count + 3) / 4, *const end = c.data + c.bytes;
    if (c.coding == 0 ? c.bytes != 8 : c.coding == 1 ? c.bytes < (count + 3) / 4 : true)
        refuse("5.4", b->offset, "coding");
    for (uint64_t i = 0, before = 0; i < count; i++) {
        const unsigned size = c.coding == 0 ? 0 : 1u << (c.data[i / 4] >> (2 * (i % 4)) & 3);
        if (c.coding == 1 && (size_t)(end - at) < size) refuse("5.5", b->offset, "packed values do not fit");
        uint64_t coded = c.coding == 0 ? number(c.data, 8) : number(at, size);
        at += size;
        if (c.transform != 0) coded = (coded >> 1) ^ -(coded & 1);
        coded <<= c.shift;
        out[i] = before = coded + (c.transform == 1 ? before : c.transform == 2 ? sources[i] : 0);
        if (before > limit) refuse("5.9", b->offset, "a value too large for its field");
    }
    if (c.coding == 1 && (at != end || (count % 4 != 0 && c.data[count / 4] >> (2 * (count % 4)) != 0)))
        refuse("5.5", b->offset, "packed values end elsewhere");
    return out;
}

static uint64_t *records(const block *b, unsigned wanted) { return values(b, wanted, b->records, NULL); }

/* How many references or buckets the records have. */
static size_t sum(const block *b, const uint64_t *counts)
{
    size_t total = 0;
    for (size_t i = 0; i < b->records; i++) {
        if ((total += counts[i]) > 262144) refuse("10.4", b->offset, "too many references or buckets");
    }
    return total;
}

/* The bytes of VALUE or TEXT. */
static const uint8_t *bytes(const block *b, unsigned wanted, const uint64_t *lengths, uint64_t limit)
{
    column_view c = {0};
    uint64_t total = 0;
    for (size_t i = 0; i < b->records; total += lengths[i++]) {
        if (lengths[i] > limit) refuse("10.5", b->offset, "a text too long");
    }
    if (find_column(b, wanted, &c) != (total != 0) || c.count != total || c.bytes != total)
        refuse("5.3", b->offset, "texts");
    if (total != 0 && (c.coding != 2 || c.transform != 0 || c.shift != 0))
        refuse("5.6", b->offset, "texts have coding 2");
    return c.data;
}

/* ---- text, appendix A ---- */

static void quoted(const uint8_t *at, size_t size)
{
    putchar('"');
    for (const uint8_t *end = at + size; at < end; at++)
        printf(*at < 0x20 || *at > 0x7e ? "\\x%02x" : *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    putchar('"');
}

static void text(const uint8_t *at, size_t size) { putchar(' '), quoted(at, size); }

/* The value of a field in its form: d decimal, x hexadecimal, t a target, s a source; with a name only if it is not 0.
 */
static void field(const block *b, const char *name, char form, uint64_t value)
{
    if (name[0] != '\0' && value == 0) return;
    const bool is_hex = form == 'x' || (form == 't' && !ordinals) || (form == 's' && (b->flags & 2) == 0);
    printf(" %s%s", name, name[0] != '\0' ? "=" : "");
    printf(is_hex ? "0x%" PRIx64 : "%" PRIu64, value);
}

static void hex(const uint8_t *at)
{
    putchar(' ');
    for (size_t i = 0; i < 16; i++)
        printf("%02x", at[i]);
}

/* ---- lists of entries, section 8 ---- */

typedef struct entry {
    const uint8_t *value;
    size_t size;
} entry;

/* Entries by key, 0 … 31; the callers look at those that the document names. */
static void entries(const block *b, entry *out)
{
    uint32_t count = 0, at = 0;
    memset(out, 0, 32 * sizeof *out);
    for (int last = -1; at < b->raw_bytes; count++) {
        const uint8_t *p = b->raw + at;
        if (b->raw_bytes - at < 8 || number(p + 4, 4) > b->raw_bytes - at - 8)
            refuse("8.1", b->offset, "an entry does not fit");
        const entry e = {p + 8, (size_t)number(p + 4, 4)};
        const int key = (int)number(p, 2);
        if (key <= last || number(p + 2, 2) != 0) refuse("8.1", b->offset, "entries do not ascend");
        if (key < 32) out[key] = e;
        last = key;
        at += 8 + (uint32_t)e.size;
    }
    if (count != b->records) refuse("8.1", b->offset, "another number of entries");
}

static uint64_t entry_number(const block *b, const entry *list, unsigned key)
{
    if (list[key].value == NULL) return 0;
    if (list[key].size != 8) refuse("8.1", b->offset, "a number has 8 bytes");
    return number(list[key].value, 8);
}

/* Entries that are not 0 or empty, from key `first` on, in their forms: t text, b 16 bytes, d decimal, x hexadecimal.
 */
static void print_entries(const block *b, const char *word, unsigned first, const char *forms)
{
    static const uint8_t zero[16];
    entry list[32];
    entries(b, list);
    for (unsigned key = first; forms[key - first] != '\0'; key++) {
        const char form = forms[key - first];
        const entry e = list[key];
        const bool is_number = form == 'd' || form == 'x';
        if (e.size > 4096 || (e.size != 16 && e.value != NULL && form == 'b'))
            refuse("8.1", b->offset, "the length of an entry");
        if (is_number ? entry_number(b, list, key) == 0 : e.size == 0) continue;
        if (form == 'b' && memcmp(e.value, zero, 16) == 0) continue;
        printf("%s %u", word, key);
        if (form == 't') text(e.value, e.size);
        if (form == 'b') hex(e.value);
        if (is_number) field(b, "", form, number(e.value, 8));
        putchar('\n');
    }
}

/* ---- one printer for each type of block, section 6 ---- */

/* The fields of a record in the order in which they are printed. */
enum { MOST_FIELDS = 11 };
static const struct {
    unsigned column;
    const char *name;
    char form;
} rows[ROWS][MOST_FIELDS + 1] = {
    [STRINGS] = {{32, "", 'd'}},
    [TYPES] = {{32, "", 'd'}, {8, "flags", 'x'}},
    [LABELS] = {{32, "", 'd'}, {35, "kind", 'd'}, {8, "flags", 'x'}, {36, "name", 'd'}},
    [SITES] = {{32, "", 'd'},
               {37, "parent", 'd'},
               {36, "function", 'd'},
               {38, "file", 'd'},
               {39, "line", 'd'},
               {44, "column", 'd'}},
    [OBJECTS] = {{2, "type", 'd'},
                 {3, "size", 'd'},
                 {4, "native", 'd'},
                 {5, "elements", 'd'},
                 {6, "site", 'd'},
                 {7, "age", 'd'},
                 {8, "flags", 'x'},
                 {9, "name", 'd'},
                 {10, "category", 'd'},
                 {11, "identity", 'x'},
                 {12, "content", 'x'}},
    [EDGES] = {{20, "", 's'}, {17, "", 't'}, {18, "label", 'd'}, {19, "index", 'd'}},
    [ROOTS] = {{35, "kind", 'd'},
               {8, "flags", 'x'},
               {36, "label", 'd'},
               {40, "", 't'},
               {37, "thread", 'd'},
               {41, "frame", 'd'}},
    [THREADS] = {{32, "", 'd'}, {36, "name", 'd'}},
    [FRAMES] = {{37, "", 'd'}, {41, "", 'd'}, {36, "function", 'd'}, {38, "file", 'd'}, {39, "line", 'd'}},
    [TYPE_TOTALS] = {{32, "", 'd'}, {48, "objects", 'd'}, {49, "bytes", 'd'}, {50, "native", 'd'}},
    [GROUP_TOTALS] = {{32, "", 'd'}, {48, "count", 'd'}, {49, "bytes", 'd'}},
    [ROW(LIVE_TOTALS)] = {{32, "", 'd'},
                          {48, "objects", 'd'},
                          {49, "bytes", 'd'},
                          {55, "retained", 'd'},
                          {62, "unreached", 'd'},
                          {63, "unreached_bytes", 'd'}},
    [ROW(ROOT_TOTALS)] = {{32, "", 'd'},
                          {35, "kind", 'd'},
                          {8, "flags", 'x'},
                          {48, "objects", 'd'},
                          {49, "bytes", 'd'},
                          {55, "retained", 'd'}},
    [ROW(PLACES)] = {{32, "", 'd'},
                     {37, "parent", 'd'},
                     {36, "edge", 'd'},
                     {8, "flags", 'x'},
                     {48, "objects", 'd'},
                     {49, "bytes", 'd'}},
    [ROW(SITE_TOTALS)] = {{32, "", 'd'}, {6, "", 'd'}, {48, "objects", 'd'}, {49, "bytes", 'd'}}};

/* The columns of a row. */
static void read_row(const block *b, uint64_t **column)
{
    const bool like = ((b->flags & 2) != 0) == ordinals; /* source and target of an edge are of one sort, 5.7 */
    const uint64_t *source = b->type == EDGES && like ? records(b, 20) : NULL;
    for (size_t f = 0; rows[ROW(b->type)][f].column != 0; f++)
        column[f] =
            values(b, rows[ROW(b->type)][f].column, b->records, rows[ROW(b->type)][f].column == 17 ? source : NULL);
}

static void print_row(const block *b, uint64_t *const *column, size_t i)
{
    for (size_t f = 0; rows[ROW(b->type)][f].column != 0; f++) {
        const unsigned number_of = rows[ROW(b->type)][f].column;
        uint64_t value = column[f][i];
        if (b->type == LABELS && number_of == 8 && (value & 3) == 3) refuse("6.4", b->offset, "a reserved strength");
        if (number_of == 35 && value > (b->type == LABELS ? 7 : 11)) value = 0;
        field(b, rows[ROW(b->type)][f].name, rows[ROW(b->type)][f].form, value);
    }
}

static void print_rows(const block *b, const char *word)
{
    uint64_t *column[MOST_FIELDS], *kind = b->type == GROUP_TOTALS ? records(b, 35) : NULL;
    read_row(b, column);
    for (size_t i = 0; i < b->records; i++) {
        if (kind != NULL && kind[i] > 1) continue;
        printf("%s%s", word, kind == NULL ? "" : kind[i] == 0 ? " category" : " root");
        print_row(b, column, i);
        putchar('\n');
    }
}

static void print_texts(const block *b, const char *word)
{
    uint64_t *size = records(b, 33), *unit = b->type == METRICS ? records(b, 42) : NULL, *column[MOST_FIELDS];
    uint64_t *value = b->type >= METRICS ? records(b, 43) : NULL;
    const uint8_t *at = bytes(b, 34, size, 65536);
    read_row(b, column);
    for (size_t i = 0; i < b->records; at += size[i], i++) {
        printf("%s", word);
        print_row(b, column, i);
        if (unit != NULL && unit[i] > size[i]) refuse("6.12", b->offset, "a unit longer than its text");
        const size_t first = size[i] - (unit != NULL ? unit[i] : 0);
        text(at, first);
        if (unit != NULL) text(at + first, unit[i]);
        if (value != NULL) field(b, "", 'd', value[i]);
        putchar('\n');
    }
}

static uint64_t objects_read, references_read, edges_read, roots_read, bytes_read, next_ordinal, last_id;

static void print_reference(const block *b, uint64_t target, uint64_t label, uint64_t index)
{
    printf(" ref");
    field(b, "", 't', target), field(b, "label", 'd', label), field(b, "index", 'd', index);
    putchar('\n');
    references_read++;
}

static void print_objects(const block *b)
{
    uint64_t *ids = records(b, 1), *size = records(b, 13), *count = records(b, 16), *column[MOST_FIELDS];
    const size_t refs = sum(b, count);
    read_row(b, column);
    const uint64_t *flags = column[6], ordinal = b->first_ordinal - ((flags[0] & 0x80) != 0);
    uint64_t *source = allocate(refs, sizeof *source);
    for (size_t i = 0, r = 0; i < b->records; i++) {
        for (uint64_t n = count[i]; n > 0; n--)
            source[r++] = ordinals ? ordinal + i : ids[i];
    }
    uint64_t *target = values(b, 17, refs, source), *label = values(b, 18, refs, NULL),
             *index = values(b, 19, refs, NULL);
    const uint8_t *value = bytes(b, 14, size, 4096);
    for (size_t i = 0, r = 0; i < b->records; value += size[i], i++) {
        bool is_shown = true;
        if ((flags[i] & 0x80) != 0) { /* 6.8 */
            if (i > 0 || b->first_ordinal == 0) refuse("6.8", b->offset, "a continuation of nothing");
            is_shown = next_ordinal == b->first_ordinal && last_id == ids[0];
            if (!is_shown && !is_salvaged) refuse("6.8", b->offset, "a continuation of another object");
        } else {
            printf("object %" PRIu64 " 0x%" PRIx64, ordinal + i, ids[i]);
            print_row(b, column, i);
            next_ordinal = ordinal + i + 1, objects_read++;
            const uint64_t shallow = (flags[i] & 1) == 0 ? column[1][i] : 0;                       /* 7.6 */
            if (__builtin_add_overflow(bytes_read, shallow, &bytes_read)) bytes_read = UINT64_MAX; /* 1.5 */
            if (size[i] != 0) printf(" value="), quoted(value, size[i]);
            putchar('\n');
        }
        for (const size_t end = r + count[i]; r < end; r++) {
            if (is_shown) print_reference(b, target[r], label[r], index[r]);
        }
        last_id = ids[i];
    }
}

static void print_type_totals(const block *b)
{
    uint64_t *column[MOST_FIELDS], *buckets = records(b, 51);
    const size_t n = sum(b, buckets);
    uint64_t *bucket = values(b, 52, n, NULL), *objects = values(b, 53, n, NULL), *size = values(b, 54, n, NULL);
    read_row(b, column);
    for (size_t i = 0, k = 0; i < b->records; i++) {
        printf("total type");
        print_row(b, column, i);
        putchar('\n');
        for (uint64_t left = buckets[i]; left > 0; left--, k++) {
            printf(" bucket");
            field(b, "", 'd', bucket[k]), field(b, "objects", 'd', objects[k]), field(b, "bytes", 'd', size[k]);
            putchar('\n');
        }
    }
}

/* 6.17 to 6.19: types and strings ascend, places stand in preorder. */
static void print_sums(const block *b, const char *word)
{
    static uint64_t last[ROWS], way[256], places, depth;
    uint64_t *column[MOST_FIELDS];
    read_row(b, column);
    if (b->type == PLACES && b->first_ordinal != places) refuse("4.10", b->offset, "places that are not the next");
    for (size_t i = 0; i < b->records; i++) {
        const uint64_t key = column[0][i], parent = column[1][i];
        if (b->type != PLACES && key <= last[ROW(b->type)])
            refuse(b->type == LIVE_TOTALS ? "6.17" : "6.18", b->offset, "order");
        last[ROW(b->type)] = key;
        if (b->type == PLACES) {
            if (places == 1 << 20) refuse("10.10", b->offset, "too many places");
            if ((key == 0) != (places == 0) || (places == 0 && parent != 0))
                refuse("6.19", b->offset, "the heap, or a name");
            while (places > 0 && depth > 0 && way[depth] != parent)
                depth--;
            if (places > 0 && way[depth] != parent) refuse("6.19", b->offset, "a parent that is not on the way");
            if (places > 0 && ++depth > 255) refuse("10.11", b->offset, "too deep");
            way[depth] = places;
        }
        printf("%s", word);
        if (b->type == PLACES) printf(" %" PRIu64, places++);
        print_row(b, column, i);
        putchar('\n');
    }
}

static void print_block(const block *b)
{
    static const char *const words[ROWS] = {"",      "info", "string", "type",  "label",  "site",  "object",
                                            "edge",  "root", "thread", "frame", "metric", "loss",  "total",
                                            "total", "",     "end",    "live",  "owned",  "place", "allocated"};
    const char *word = words[ROW(b->type)];
    edges_read += b->type == EDGES ? b->records : 0;
    roots_read += b->type == ROOTS ? b->records : 0;
    switch (b->type) {
    case INFO:
        print_entries(b, word, 2,
                      "ttttdddxdbdd"
                      "xtdddd");
        break;
    case END: print_entries(b, word, 1, "dtddddddddddddddddddd"); break;
    case INDEX: break;
    case STRINGS:
    case TYPES:
    case METRICS:
    case LOSSES: print_texts(b, word); break;
    case OBJECTS: print_objects(b); break;
    case TYPE_TOTALS: print_type_totals(b); break;
    case LIVE_TOTALS:
    case ROOT_TOTALS:
    case PLACES: print_sums(b, word); break;
    default: print_rows(b, word); break;
    }
}

/* ---- the file, sections 3, 4, 9 and 11 ---- */

/* Reads the block at `at`; false if the file is cut off or damaged there (4.3, 4.4), which ends the reading. */
static bool read_block(size_t at, block *b)
{
    const uint8_t *h = file + at;
    if (file_bytes - at < 56 || memcmp(h, "HSBK", 4) != 0 || XXH3_64bits_withSeed(h, 40, seed) != number(h + 48, 8))
        return false;
    *b = (block){h[4],
                 (unsigned)number(h + 6, 2),
                 h[5],
                 (uint32_t)number(h + 8, 4),
                 (uint32_t)number(h + 32, 4),
                 (uint32_t)number(h + 36, 4),
                 number(h + 16, 8),
                 number(h + 24, 8),
                 at,
                 NULL};
    if (b->stored_bytes > 4259840 || b->raw_bytes > 4194304 || b->records > 65536)
        refuse("10.1", at, "past the limits");
    if (b->records == 0 || b->raw_bytes == 0) refuse("4.9", at, "an empty block");
    if (file_bytes - at - 56 < b->stored_bytes) return false;
    if (XXH3_64bits_withSeed(h + 56, b->stored_bytes, number(h + 48, 8)) != number(h + 40, 8)) return false;
    if (number(h + 12, 4) != 0) refuse("4.11", at, "reserved");
    if (b->type == 0 || (b->type > END && b->type < 128)) refuse("4.6", at, "an unknown type of block");
    const bool is_skipped = b->type > SITE_TOTALS;
    const unsigned flags = b->type == EDGES ? 3 : b->type == OBJECTS || b->type == ROOTS ? 1 : is_skipped ? 0xFFFF : 0;
    if ((b->flags & ~flags) != 0) refuse("4.8", at, "unknown flags");
    if (b->first_ordinal != 0 && b->type != OBJECTS && b->type != PLACES && !is_skipped)
        refuse("4.10", at, "an ordinal");
    if (b->codec > 1 || (b->codec == 0 && b->raw_bytes != b->stored_bytes) || (b->type == INFO && b->codec != 0))
        refuse("4.7", at, "codec");
    b->raw = allocate(b->raw_bytes, 1);
    if (b->codec == 0)
        memcpy(b->raw, h + 56, b->raw_bytes);
    else if (ZSTD_decompress(b->raw, b->raw_bytes, h + 56, b->stored_bytes) != b->raw_bytes)
        refuse("4.7", at, "not one zstd frame of that size");
    return true;
}

static void read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL || fseek(in, 0, SEEK_END) != 0) refuse("3.1", 0, "cannot open");
    file = allocate(file_bytes = (size_t)ftell(in), 1);
    rewind(in);
    if (fread(file, 1, file_bytes, in) != file_bytes || fclose(in) != 0) refuse("3.1", 0, "cannot read");
    if (file_bytes < 64 || memcmp(file, "\x89HSC\r\n\x1a\n", 8) != 0) refuse("3.2", 0, "not a capture");
    if (XXH3_64bits(file, 56) != number(file + 56, 8)) refuse("3.3", 0, "the checksum of the file header");
    if (number(file + 8, 2) != 1 || number(file + 16, 8) != 0) refuse("3.4", 8, "too new");
    if (number(file + 12, 4) < 64 || number(file + 12, 4) > 4096) refuse("3.5", 12, "header_bytes");
    if (number(file + 48, 8) != 0) refuse("3.8", 48, "reserved");
    seed = XXH3_64bits(file + 32, 16);
}

/* 9.1: what the INDEX says of block i is what its header says. Returns how many blocks it names. */
static void check_index(const block *b, size_t *at)
{
    uint64_t *said_by[6];
    for (unsigned c = 0; c < 6; c++)
        said_by[c] = records(b, 56 + c);
    for (size_t i = 0; i < b->records; i++, ++*at) {
        if (*at >= block_count) refuse("9.1", b->offset, "the index is too long");
        const block *of = &blocks[*at];
        const uint64_t said[] = {of->offset,        of->type,         of->records,
                                 of->first_ordinal, of->stored_bytes, is_salvaged ? of->number : 0};
        for (unsigned c = 0; c < 6; c++) {
            if (said_by[c][i] != said[c]) refuse("9.1", b->offset, "the index is wrong");
        }
    }
}

/* All blocks up to END, the end of the file or the first damage; true if the capture is complete (2.4). */
static bool read_blocks(void)
{
    size_t at = (size_t)number(file + 12, 4);
    blocks = allocate(file_bytes / 56 + 1, sizeof *blocks);
    for (block b; !has_end && at <= file_bytes && read_block(at, &b);) {
        if (block_count > 0 && b.number <= blocks[block_count - 1].number) refuse("4.5", at, "blocks do not ascend");
        blocks[block_count++] = b;
        has_end = b.type == END;
        at += 56 + b.stored_bytes;
    }
    if (block_count == 0) return false;
    entry list[32];
    if (blocks[0].type != INFO) refuse("2.3", blocks[0].offset, "block 0 is not INFO");
    entries(&blocks[0], list);
    if (list[1].size != 16 || memcmp(list[1].value, file + 32, 16) != 0) refuse("8.2", blocks[0].offset, "capture id");
    ordinals = entry_number(&blocks[0], list, 13) == 1;
    if (!ordinals && entry_number(&blocks[0], list, 13) != 0) refuse("8.2", blocks[0].offset, "targets");
    is_baseline = (entry_number(&blocks[0], list, 9) & 64) != 0;
    const block *end = &blocks[block_count - 1];
    if (has_end) entries(end, list);
    const uint64_t state = has_end ? entry_number(end, list, 1) : 2;
    if (state < 1 || state > 3) refuse("8.4", end->offset, "state");
    is_salvaged = state == 3;
    if (end->number != block_count - 1 && !is_salvaged) refuse("4.5", end->offset, "numbers are missing");
    size_t indexed = 0, before_index = 0, index_offset = 0;
    for (const block *b = blocks; b < blocks + block_count; b++) {
        if ((b->type == OBJECTS || b->type == EDGES || b->type == ROOTS) && (b->flags & 1) != ordinals)
            refuse("4.8", b->offset, "targets of another sort");
        if (b->type == INDEX && index_offset == 0)
            index_offset = (size_t)b->offset, before_index = (size_t)(b - blocks);
        if (b->type == INDEX) check_index(b, &indexed);
    }
    if (!has_end) return false;
    if (indexed != before_index) refuse("9.1", end->offset, "the index is not whole");
    const uint8_t *t = file + at;
    if (file_bytes - at < 32 || memcmp(t + 16, "HSCTAIL\n", 8) != 0 ||
        XXH3_64bits_withSeed(t, 24, seed) != number(t + 24, 8))
        return false;
    if (number(t, 8) != index_offset || number(t + 8, 8) != end->offset)
        refuse("9.3", at, "the trailer points elsewhere");
    if (file_bytes - at != 32) refuse("9.4", at + 32, "bytes behind the trailer");
    return state == 1;
}

int main(int argc, char **argv)
{
    if (argc != 2) return fputs("usage: second_reader FILE\n", stderr), 2;
    read_file(argv[1]);
    const bool is_complete = read_blocks();
    printf("capture %u.%u", (unsigned)number(file + 8, 2), (unsigned)number(file + 10, 2));
    hex(file + 32);
    printf(" targets=%s complete=%s\n", ordinals ? "ordinals" : "ids", is_complete ? "yes" : "no");
    static const uint8_t order[] = {INFO,        STRINGS,     TYPES,  LABELS,      SITES,  OBJECTS,     EDGES,
                                    ROOTS,       THREADS,     FRAMES, METRICS,     LOSSES, TYPE_TOTALS, GROUP_TOTALS,
                                    LIVE_TOTALS, ROOT_TOTALS, PLACES, SITE_TOTALS, END};
    for (size_t kind = 0; kind < sizeof order; kind++) {
        for (const block *b = blocks; b < blocks + block_count && (is_baseline || !is_sum(order[kind])); b++) {
            if (b->type == order[kind]) print_block(b);
        }
    }
    printf("read objects=%" PRIu64 " references=%" PRIu64 " edges=%" PRIu64 " roots=%" PRIu64 " bytes=%" PRIu64
           " blocks=%zu\n",
           objects_read, references_read, edges_read, roots_read, bytes_read, block_count);
    return fflush(stdout) != 0 ? 2 : is_complete ? 0 : 1;
}
