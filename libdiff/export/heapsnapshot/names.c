/*
 * The strings of a snapshot. See names.h.
 */
#include "export/heapsnapshot/names.h"

#include <string.h>

#include "base/check.h"
#include "export/heapsnapshot/text.h"
#include <hscapture/hscapture.h>

static const char *const words[HSD_SNAP_WORD_COUNT] = {
    [HSD_SNAP_DUMMY] = "<dummy>",
    [HSD_SNAP_EMPTY] = "",
    [HSD_SNAP_GC_ROOTS] = "(GC roots)",
    [HSD_SNAP_OTHER_ROOTS] = "(other roots)",
    [HSD_SNAP_ALL_OBJECTS] = "(all objects)",
    [HSD_SNAP_UNREFERENCED] = "(unreferenced)",
    [HSD_SNAP_GLOBAL] = "global",
    [HSD_SNAP_DOCUMENTS] = "(Document DOM trees)",
    [HSD_SNAP_INTERNAL] = "internal",
    [HSD_SNAP_VARIABLE] = "(variable)",
    [HSD_SNAP_KEY] = "key",
    [HSD_SNAP_CLASS] = "class",
    [HSD_SNAP_NAME] = "name",
    [HSD_SNAP_VALUE] = "value",
    /* As reports call roots without a name, by hsc_root_kind. */
    [HSD_SNAP_FIRST_KIND] = "(unknown roots)",
    "(globals)",
    "(static fields)",
    "(stacks)",
    "(threads)",
    "(native handles)",
    "(classes)",
    "(interned strings)",
    "(finalizers)",
    "(monitors)",
    "(runtime)",
    "(registers)",
};

_Static_assert(HSD_SNAP_WORD_COUNT - HSD_SNAP_FIRST_KIND == HSC_ROOT_KIND_COUNT, "each kind of root has a word");

static hsd_bytes bytes_of(const char *text, size_t size) { return (hsd_bytes){(const uint8_t *)text, size}; }

static hsd_bytes word(unsigned i) { return bytes_of(words[i], strlen(words[i])); }

#define SEPARATOR_BYTES 2u /* a comma and a line end */

/* ---- the capture's ---- */

typedef hsd_status take_fn(hsd_snap_names *names, const hsd_string *string, void *context, hsd_error *err);

static hsd_status for_each_heapsnapshot_name(hsd_snap_names *names, take_fn *take, void *context, hsd_error *err)
{
    hsd_record_reader *reader;
    hsd_record record;
    hsd_status status;
    HSD_TRY(hsd_record_reader_open(&reader, names->capture, HSD_RECORD_STRING, err));
    while ((status = hsd_record_reader_next(reader, &record, err)) == HSD_OK) {
        status = take(names, &record.string, context, err);
        if (status != HSD_OK) break;
    }
    hsd_record_reader_close(reader);
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status check_memory(const hsd_snap_names *names, hsd_error *err)
{
    const uint64_t taken = hsd_id_map_memory(&names->numbers);
    if (taken <= names->memory_bytes) return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET, "the names of the capture take more than %llu MiB",
             (unsigned long long)(names->memory_bytes >> 20));
    hsd_error_set_hint(err, "give it more: --memory %lluM or so", (unsigned long long)(taken * 16 >> 20) + 64);
    return HSD_E_OVER_BUDGET;
}

/* A string that says what one of the words says is that word; a number that is defined twice keeps its first meaning.
 */
static hsd_status number_one(hsd_snap_names *names, const hsd_string *string, void *context, hsd_error *err)
{
    (void)context;
    const uint32_t known = hsd_names_find(&names->words, bytes_of(string->text.data, string->text.size));
    if (hsd_id_map_get(&names->numbers, string->id) != HSD_ID_NONE) return HSD_OK;
    if (known == HSD_NAME_NONE && names->next >= HSD_ID_NONE - 1)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "the capture has more strings than a heap snapshot can have");
    HSD_TRY(hsd_id_map_put(&names->numbers, string->id, known != HSD_NAME_NONE ? known : names->next, err));
    if (known != HSD_NAME_NONE) return HSD_OK;
    hsd_buffer_clear(&names->quoted);
    HSD_TRY(hsd_snap_quote(&names->quoted, bytes_of(string->text.data, string->text.size), err));
    names->bytes += names->quoted.size + SEPARATOR_BYTES;
    return (++names->next & 0xffff) == 0 ? check_memory(names, err) : HSD_OK;
}

hsd_status hsd_snap_names_open(hsd_snap_names *names, hsd_capture *capture, uint64_t memory_bytes,
                               hsd_temp_space *space, hsd_error *err)
{
    *names = (hsd_snap_names){.capture = capture, .memory_bytes = memory_bytes, .next = HSD_SNAP_WORD_COUNT};
    HSD_TRY(hsd_snap_spool_open(&names->texts, space, err));
    for (unsigned i = 0; i < HSD_SNAP_WORD_COUNT; i++) {
        uint32_t number;
        HSD_TRY(hsd_names_put(&names->words, word(i), &number, err));
    }
    HSD_TRY(for_each_heapsnapshot_name(names, number_one, NULL, err));
    HSD_TRY(check_memory(names, err));
    names->first_met = names->next;
    return HSD_OK;
}

/* ---- met on the way ---- */

/* A new number for the text that is quoted. */
static hsd_status add_heapsnapshot_name(hsd_snap_names *names, uint32_t *number, hsd_error *err)
{
    const hsd_bytes quoted = {names->quoted.data, names->quoted.size};
    if (names->bytes + quoted.size + SEPARATOR_BYTES > HSD_SNAP_MOST_BYTES || names->next >= HSD_ID_NONE - 1) {
        names->left_out++;
        *number = HSD_SNAP_EMPTY;
        return HSD_OK;
    }
    *number = names->next++;
    names->bytes += quoted.size + SEPARATOR_BYTES;
    HSD_TRY(hsd_snap_spool_put(&names->texts, ",\n", SEPARATOR_BYTES, err));
    return hsd_snap_spool_put(&names->texts, quoted.data, quoted.size, err);
}

hsd_status hsd_snap_names_put(hsd_snap_names *names, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    *number = hsd_names_find(&names->words, text);
    if (*number != HSD_NAME_NONE) return HSD_OK;
    const uint32_t known = hsd_names_find(&names->met, text);
    if (known != HSD_NAME_NONE) {
        *number = names->first_met + known;
        return HSD_OK;
    }
    hsd_buffer_clear(&names->quoted);
    HSD_TRY(hsd_snap_quote(&names->quoted, text, err));
    const uint64_t left_out = names->left_out;
    HSD_TRY(add_heapsnapshot_name(names, number, err));
    /* Numbers of `met` are those of the list as long as every text goes into both. */
    const bool is_full = hsd_names_memory(&names->met) + text.size > names->memory_bytes;
    if (is_full || names->left_out != left_out || names->first_met + names->met.count != *number) return HSD_OK;
    uint32_t place;
    return hsd_names_put(&names->met, text, &place, err);
}

hsd_status hsd_snap_names_put_number(hsd_snap_names *names, uint64_t value, uint32_t *number, hsd_error *err)
{
    uint8_t text[HSD_SNAP_NUMBER_BYTES];
    const size_t size = (size_t)(hsd_snap_number(text, value) - text);
    return hsd_snap_names_put(names, (hsd_bytes){text, size}, number, err);
}

/* ---- the list ---- */

static hsd_status write_one_heapsnapshot_name(hsd_snap_names *names, hsd_bytes text, bool is_first, hsd_export *x,
                                              hsd_error *err)
{
    hsd_buffer_clear(&names->quoted);
    if (!is_first) HSD_TRY(hsd_buffer_append(&names->quoted, ",\n", SEPARATOR_BYTES, err));
    HSD_TRY(hsd_snap_quote(&names->quoted, text, err));
    return hsd_export_write(x, names->quoted.data, names->quoted.size, err);
}

typedef struct writing {
    hsd_export *x;
    uint32_t next;
} writing;

static hsd_status write_string(hsd_snap_names *names, const hsd_string *string, void *context, hsd_error *err)
{
    writing *w = context;
    if (hsd_id_map_get(&names->numbers, string->id) != w->next) return HSD_OK;
    w->next++;
    return write_one_heapsnapshot_name(names, bytes_of(string->text.data, string->text.size), false, w->x, err);
}

hsd_status hsd_snap_names_write(hsd_snap_names *names, hsd_export *x, hsd_error *err)
{
    writing w = {x, HSD_SNAP_WORD_COUNT};
    for (unsigned i = 0; i < HSD_SNAP_WORD_COUNT; i++)
        HSD_TRY(write_one_heapsnapshot_name(names, word(i), i == 0, x, err));
    HSD_TRY(for_each_heapsnapshot_name(names, write_string, &w, err));
    return hsd_snap_spool_copy(&names->texts, x, err);
}

void hsd_snap_names_release(hsd_snap_names *names)
{
    hsd_snap_spool_close(&names->texts);
    hsd_names_release(&names->words);
    hsd_names_release(&names->met);
    hsd_buffer_release(&names->quoted);
    hsd_id_map_release(&names->numbers);
    *names = (hsd_snap_names){0};
}
