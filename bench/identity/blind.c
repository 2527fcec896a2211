/*
 * Takes the truth out of a heap dump: hsd_blind IN.hprof OUT.hprof FIELD TRUTH
 *
 * Copies a JVM dump with the int field FIELD, whichever class declares it, set to 0 in every instance, so that nothing
 * can recognise an object by it, and writes the pairs (address, value) that stood there to TRUTH: 16 bytes each,
 * little-endian, in the order of the dump. Prints how many there were. The whole dump is in memory, as a private
 * mapping that is written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "import/hprof/class.h"

#define ABSENT UINT32_MAX

typedef struct blinding {
    uint8_t *bytes;
    size_t size;
    const char *field;
    hprof_reader reader;
    hprof_names names;
    hprof_classes classes;
    uint32_t field_name; /* number of the string, 0 = the dump has none of that text */
    /* of the field in the bytes of an instance, by number of the class; ABSENT = it has none */
    uint32_t *offsets;
    FILE *truth;
    uint64_t blinded;
} blinding;

static void fail(const char *what)
{
    fprintf(stderr, "hsd_blind: %s\n", what);
    exit(1);
}

static void fail_errno(const char *what)
{
    hsd_error err;
    hsd_error_init(&err);
    hsd_fail_errno(&err, errno, "%s", what);
    fail(err.text);
}

static void check(hsd_status status, const hsd_error *err)
{
    if (status < 0) fail(err->text);
}

static void map_file(blinding *b, const char *path)
{
    struct stat about;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) fail_errno("cannot open the dump");
    if (about.st_size <= 0) fail("the dump is empty");
    b->size = (size_t)about.st_size;
    b->bytes = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (b->bytes == MAP_FAILED) fail_errno("cannot map the dump");
    close(fd);
}

/* ---- the classes ---- */

/* Notes which string is the name of the field: its id stands in front of its text. */
static hsd_status note_string(blinding *b, const hprof_record *record, hsd_error *err)
{
    const unsigned w = b->reader.id_bytes;
    const uint8_t *at = b->reader.source->at;
    if (record->length != w + strlen(b->field) || hsd_source_ahead(b->reader.source) < record->length) return HSD_OK;
    if (memcmp(at + w, b->field, strlen(b->field)) != 0) return HSD_OK;
    return hsd_hprof_want(&b->names, hsd_hprof_id(at, w), &b->field_name, err);
}

static hsd_status note_class(blinding *b, const hprof_sub *sub, hsd_error *err)
{
    return hsd_hprof_read_class(&b->classes, &b->names, &b->reader, sub->id, err);
}

/* Adds the bytes of the fields that stand before the one looked for. True: it is one of this class's own. */
static bool pass_fields(const blinding *b, const hprof_class *of, uint64_t *offset)
{
    for (uint32_t i = 0; i < of->field_count; i++) {
        const hprof_field *field = &b->classes.fields[of->first_field + i];
        if (field->name == b->field_name && field->type == HPROF_INT) return true;
        *offset += hsd_hprof_is_reference(field->type) ? b->reader.id_bytes : hsd_hprof_width[field->type];
    }
    return false;
}

/* An instance holds the fields of its class first, then those of the superclass, and so on. */
static uint32_t offset_of(const blinding *b, const hprof_class *of)
{
    uint64_t offset = 0;
    for (unsigned depth = 0; of != NULL && depth < HPROF_MAX_DEPTH; depth++) {
        if (pass_fields(b, of, &offset)) return offset < ABSENT ? (uint32_t)offset : ABSENT;
        of = hsd_hprof_super(&b->classes, of);
    }
    return ABSENT;
}

static void find_offsets(blinding *b)
{
    const uint32_t count = b->classes.table.count;
    b->offsets = malloc(((size_t)count + 1) * sizeof *b->offsets);
    if (b->offsets == NULL) fail("out of memory");
    for (uint32_t i = 1; i <= count; i++)
        b->offsets[i] = offset_of(b, &b->classes.items[i]);
}

/* ---- the instances ---- */

static void put_u64(uint8_t *to, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static hsd_status blind_instance(blinding *b, const hprof_sub *sub, hsd_error *err)
{
    const uint32_t class = hsd_id_table_find(&b->classes.table, sub->class_id);
    const uint64_t offset = class == 0 ? ABSENT : b->offsets[class];
    if (offset == ABSENT) return HSD_OK;
    const uint64_t body = hsd_source_offset(b->reader.source);
    uint64_t end;
    if (offset + 4 > sub->count || !hsd_add_u64(body, sub->count, &end) || end > b->size)
        return hsd_fail_at(err, HSD_E_CORRUPT, sub->offset, "an instance is shorter than the fields of its class");
    uint8_t *value = b->bytes + body + offset, pair[16];
    put_u64(pair, sub->id);
    put_u64(pair + 8, hsd_hprof_u32(value));
    memset(value, 0, 4);
    if (fwrite(pair, 1, sizeof pair, b->truth) != sizeof pair)
        return hsd_fail_errno(err, errno, "cannot write the truth");
    b->blinded++;
    return HSD_OK;
}

/* ---- the dump, twice ---- */

typedef enum turn { CLASSES, INSTANCES } turn;

static hsd_status read_segment(blinding *b, turn now, hsd_error *err)
{
    hprof_sub sub;
    hsd_status status;
    while ((status = hsd_hprof_next_sub(&b->reader, b->reader.id_bytes, &sub, err)) == HSD_OK) {
        if (sub.tag == HPROF_CLASS)
            status = now == CLASSES ? note_class(b, &sub, err) : hsd_hprof_skip_class(&b->reader, err);
        else if (sub.tag == HPROF_INSTANCE && now == INSTANCES)
            status = blind_instance(b, &sub, err);
        if (status < 0) return status;
        HSD_TRY(hsd_hprof_skip(&b->reader, sub.body, err));
    }
    return status < 0 ? status : HSD_OK;
}

static void read_dump(blinding *b, const char *name, turn now)
{
    hsd_source source;
    hprof_record record;
    hsd_error err;
    hsd_error_init(&err);
    check(hsd_source_open_memory(&source, (hsd_bytes){b->bytes, b->size}, name, &err), &err);
    check(hsd_hprof_open(&b->reader, &source, false, &err), &err);
    hsd_status status;
    while ((status = hsd_hprof_next_record(&b->reader, &record, &err)) == HSD_OK) {
        if (record.tag == HPROF_STRING && now == CLASSES) check(note_string(b, &record, &err), &err);
        if (record.tag == HPROF_HEAP_DUMP || record.tag == HPROF_SEGMENT) check(read_segment(b, now, &err), &err);
        check(hsd_hprof_leave(&b->reader, &record, &err), &err);
    }
    check(status, &err);
    hsd_source_close(&source);
}

static void write_dump(const blinding *b, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(b->bytes, 1, b->size, file) != b->size || fclose(file) != 0)
        fail_errno("cannot write the dump");
}

int main(int argc, char **argv)
{
    blinding b = {0};
    if (argc != 5) {
        fprintf(stderr, "usage: hsd_blind IN.hprof OUT.hprof FIELD TRUTH\n");
        return 2;
    }
    b.field = argv[3];
    map_file(&b, argv[1]);
    b.truth = fopen(argv[4], "wb");
    if (b.truth == NULL) fail_errno("cannot write the truth");
    read_dump(&b, argv[1], CLASSES);
    if (b.field_name == 0) fail("no class of the dump has a field of that name");
    find_offsets(&b);
    read_dump(&b, argv[1], INSTANCES);
    write_dump(&b, argv[2]);
    if (fclose(b.truth) != 0) fail_errno("cannot write the truth");
    printf("%" PRIu64 "\n", b.blinded);
    free(b.offsets);
    hsd_hprof_classes_release(&b.classes);
    hsd_hprof_names_release(&b.names);
    munmap(b.bytes, b.size);
    return 0;
}
