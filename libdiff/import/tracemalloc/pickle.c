/*
 * See tracemalloc.h. Instructions as the module pickletools of Python documents them; those of protocols 4 and 5, which
 * Snapshot.dump has written since 3.4.
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "import/tracemalloc/tracemalloc.h"

enum {
    PROTO = 0x80,
    NEW_OBJECT = 0x81,
    TUPLE_1 = 0x85,
    TUPLE_2 = 0x86,
    TUPLE_3 = 0x87,
    TRUE_ = 0x88,
    FALSE_ = 0x89,
    LONG_1 = 0x8a,
    SHORT_TEXT = 0x8c,
    LONG_TEXT = 0x8d,
    STACK_GLOBAL = 0x93,
    MEMOIZE = 0x94,
    FRAME = 0x95
};
enum { OLDEST = 2, NEWEST = 5, LONG_BYTES = 8, MOST_STACK = 1 << 20 };

/* ---- which it is ---- */

/* The bytes that every such file begins with, but for the length of its first frame. */
unsigned hsd_tm_probe(const uint8_t *prefix, size_t size)
{
    static const char begin[] = "\x8c\x0btracemalloc\x94\x8c\x08Snapshot\x94\x93";
    const size_t known = sizeof begin - 1;
    if (size < 2 || prefix[0] != PROTO || prefix[1] < 4 || prefix[1] > NEWEST) return 0;
    const size_t at = size > 2 && prefix[2] == FRAME ? 11 : 2;
    if (size < at + known || memcmp(prefix + at, begin, known) != 0) return 0;
    return (unsigned)(8 * (2 + known));
}

/* ---- the machine ---- */

static hsd_status refuse_pickle(const tm *t, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(t->source), "this is no snapshot of tracemalloc: %s",
                       what);
}

/* Arrays double, so it is looked at what they take when they have. */
static hsd_status grow_pickle(tm *t, void *array, uint32_t *room, uint64_t index, size_t size, hsd_error *err)
{
    void **items = array;
    const uint32_t before = *room;
    HSD_TRY(hsd_import_grow(items, room, index, size, err));
    return *room == before ? HSD_OK : hsd_tm_check_memory(t, err);
}

static hsd_status push_pickle(tm *t, tm_value value, hsd_error *err)
{
    if (t->stack_count == MOST_STACK) return refuse_pickle(t, "its stack has no end", err);
    HSD_TRY(grow_pickle(t, &t->stack, &t->stack_room, t->stack_count, sizeof *t->stack, err));
    t->stack[t->stack_count++] = value;
    return HSD_OK;
}

/* How many values may be taken: those above the last mark. */
static uint32_t above_mark(const tm *t)
{
    return t->stack_count - (t->mark_count == 0 ? 0 : t->marks[t->mark_count - 1]);
}

static hsd_status need(const tm *t, uint32_t count, hsd_error *err)
{
    return above_mark(t) >= count ? HSD_OK : refuse_pickle(t, "its stack is empty", err);
}

static hsd_status take_mark(tm *t, uint32_t *count, hsd_error *err)
{
    if (t->mark_count == 0) return refuse_pickle(t, "a mark is missing", err);
    *count = above_mark(t);
    t->mark_count--;
    return HSD_OK;
}

static hsd_status bytes(tm *t, size_t size, const uint8_t **out, hsd_error *err)
{
    const hsd_status status = hsd_source_peek(t->source, size, err);
    if (status < 0) return status;
    if (status == HSD_END) {
        hsd_fail_at(err, HSD_E_TRUNCATED, hsd_source_offset(t->source), "the snapshot was cut off");
        hsd_import_hint_partial(err);
        return HSD_E_TRUNCATED;
    }
    *out = t->source->at;
    hsd_source_take(t->source, size);
    return HSD_OK;
}

static hsd_status pickle_number(tm *t, unsigned size, uint64_t *out, hsd_error *err)
{
    const uint8_t *at;
    HSD_TRY(bytes(t, size, &at, err));
    *out = 0;
    for (unsigned i = 0; i < size; i++)
        *out |= (uint64_t)at[i] << 8 * i;
    return HSD_OK;
}

static hsd_status push_number(tm *t, uint64_t value, hsd_error *err)
{
    return value >> (64 - TM_KIND_BITS) != 0 ? refuse_pickle(t, "a number is too large", err)
                                             : push_pickle(t, tm_make(TM_NUMBER, value), err);
}

static hsd_status push_plain(tm *t, unsigned size, hsd_error *err)
{
    uint64_t value;
    HSD_TRY(pickle_number(t, size, &value, err));
    if (size == 4 && value > INT32_MAX) return refuse_pickle(t, "a number is negative", err);
    return push_number(t, value, err);
}

/* An integer of any length, the low byte first; none here needs more than eight. */
static hsd_status push_long(tm *t, hsd_error *err)
{
    uint64_t size, value = 0;
    HSD_TRY(pickle_number(t, 1, &size, err));
    if (size > LONG_BYTES) return refuse_pickle(t, "a number is too large", err);
    if (size > 0) HSD_TRY(pickle_number(t, (unsigned)size, &value, err));
    if (size > 0 && (value >> (8 * size - 1) & 1) != 0) return refuse_pickle(t, "a number is negative", err);
    return push_number(t, value, err);
}

/* The beginning of a text, which is longer than any path. */
static hsd_status push_text(tm *t, unsigned size_bytes, hsd_error *err)
{
    uint64_t size;
    uint32_t text;
    uint8_t begin[TM_TEXT_BYTES];
    HSD_TRY(pickle_number(t, size_bytes, &size, err));
    const size_t kept = (size_t)hsd_min_u64(size, sizeof begin);
    hsd_status status = hsd_source_copy(t->source, begin, kept, err);
    if (status == HSD_OK) status = hsd_source_skip(t->source, size - kept, err);
    if (status == HSD_E_TRUNCATED) hsd_import_hint_partial(err);
    if (status != HSD_OK) return status;
    const uint32_t before = t->texts.count;
    HSD_TRY(hsd_names_put(&t->texts, (hsd_bytes){begin, kept}, &text, err));
    if (t->texts.count > before && (text & 0xff) == 0) HSD_TRY(hsd_tm_check_memory(t, err));
    return push_pickle(t, tm_make(TM_TEXT, text), err);
}

/* The upper `count` values become one. */
static hsd_status fold(tm *t, uint32_t count, hsd_error *err)
{
    const uint32_t at = t->pool_count;
    HSD_TRY(need(t, count, err));
    if ((uint64_t)at + count + 1 >= UINT32_MAX)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "this snapshot has more than 4,294,967,295 values");
    HSD_TRY(grow_pickle(t, &t->pool, &t->pool_room, (uint64_t)at + count, sizeof *t->pool, err));
    t->pool[at] = count;
    if (count > 0) memcpy(t->pool + at + 1, t->stack + t->stack_count - count, count * sizeof *t->pool);
    t->pool_count += count + 1;
    t->stack_count -= count;
    return push_pickle(t, tm_make(TM_TUPLE, at), err);
}

static hsd_status fold_marked(tm *t, hsd_error *err)
{
    uint32_t count = 0;
    HSD_TRY(take_mark(t, &count, err));
    return fold(t, count, err);
}

const tm_value *hsd_tm_tuple(const tm *t, tm_value tuple, uint64_t *count)
{
    const tm_value *at = t->pool + tm_number_of(tuple);
    *count = at[0];
    return at + 1;
}

/* ---- classes ---- */

static bool is_text(const tm *t, tm_value value, const char *word)
{
    if (tm_kind_of(value) != TM_TEXT) return false;
    const hsd_bytes text = hsd_names_get(&t->texts, (uint32_t)tm_number_of(value));
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static hsd_status refuse_class(const tm *t, tm_value module, tm_value name, hsd_error *err)
{
    const hsd_bytes of = hsd_names_get(&t->texts, (uint32_t)tm_number_of(module)),
                    what = hsd_names_get(&t->texts, (uint32_t)tm_number_of(name));
    hsd_fail_at(err, HSD_E_UNSUPPORTED, hsd_source_offset(t->source),
                "this pickle names %.*s.%.*s, which no snapshot of tracemalloc has: it is not read",
                (int)hsd_min_u64(of.size, 100), (const char *)of.data, (int)hsd_min_u64(what.size, 100),
                (const char *)what.data);
    hsd_error_set_hint(err, "only what tracemalloc.Snapshot.dump() has written is read, and nothing of it is run");
    return HSD_E_UNSUPPORTED;
}

static hsd_status name_class(tm *t, hsd_error *err)
{
    HSD_TRY(need(t, 2, err));
    const tm_value module = t->stack[t->stack_count - 2], name = t->stack[t->stack_count - 1];
    if (tm_kind_of(module) != TM_TEXT || tm_kind_of(name) != TM_TEXT)
        return refuse_pickle(t, "a class has no name", err);
    const bool is_snapshot = is_text(t, name, "Snapshot");
    if (!is_text(t, module, "tracemalloc") || !(is_snapshot || is_text(t, name, "_Traces")))
        return refuse_class(t, module, name, err);
    t->stack_count -= 2;
    return push_pickle(t, tm_make(TM_CLASS, is_snapshot), err);
}

/* A class and the tuple of its arguments become an object, which stands for itself. */
static hsd_status make_object(tm *t, hsd_error *err)
{
    HSD_TRY(need(t, 2, err));
    if (tm_kind_of(t->stack[t->stack_count - 2]) != TM_CLASS) return refuse_pickle(t, "an object has no class", err);
    t->stack_count -= 2;
    return push_pickle(t, tm_make(TM_OTHER, 0), err);
}

/* ---- lists and memo ---- */

/* The values above the list are traces, the only thing that a snapshot has lists of. */
static hsd_status append_pickle(tm *t, uint32_t count, hsd_error *err)
{
    if (t->stack_count < (uint64_t)count + 1 || tm_kind_of(t->stack[t->stack_count - count - 1]) != TM_LIST)
        return refuse_pickle(t, "there is no list", err);
    for (uint32_t i = 0; i < count; i++)
        HSD_TRY(hsd_tm_take_trace(t, t->stack[t->stack_count - count + i], err));
    t->stack_count -= count;
    return HSD_OK;
}

static hsd_status begin_list(tm *t, hsd_error *err)
{
    t->has_list = true;
    return push_pickle(t, tm_make(TM_LIST, 0), err);
}

static hsd_status append_one(tm *t, hsd_error *err)
{
    HSD_TRY(need(t, 2, err));
    return append_pickle(t, 1, err);
}

static hsd_status drop(tm *t, uint32_t count, hsd_error *err)
{
    HSD_TRY(need(t, count, err));
    t->stack_count -= count;
    return HSD_OK;
}

/* What a mark stands below: texts and values of a dict, which nobody needs, or the members of a list. */
static hsd_status take_marked(tm *t, bool is_list, hsd_error *err)
{
    uint32_t count = 0;
    HSD_TRY(take_mark(t, &count, err));
    if (is_list) return append_pickle(t, count, err);
    t->stack_count -= count;
    return HSD_OK;
}

static hsd_status memoize(tm *t, hsd_error *err)
{
    if (t->stack_count == 0) return refuse_pickle(t, "its stack is empty", err);
    HSD_TRY(grow_pickle(t, &t->memo, &t->memo_room, t->memo_count, sizeof *t->memo, err));
    t->memo[t->memo_count++] = t->stack[t->stack_count - 1];
    return HSD_OK;
}

static hsd_status recall(tm *t, unsigned size, hsd_error *err)
{
    uint64_t place;
    HSD_TRY(pickle_number(t, size, &place, err));
    return place < t->memo_count ? push_pickle(t, t->memo[place], err)
                                 : refuse_pickle(t, "it refers to what it does not have", err);
}

static hsd_status mark(tm *t, hsd_error *err)
{
    if (t->mark_count == MOST_STACK) return refuse_pickle(t, "its stack has no end", err);
    HSD_TRY(grow_pickle(t, &t->marks, &t->mark_room, t->mark_count, sizeof *t->marks, err));
    t->marks[t->mark_count++] = t->stack_count;
    return HSD_OK;
}

static hsd_status pass_over(tm *t, unsigned size, hsd_error *err)
{
    uint64_t unused;
    return pickle_number(t, size, &unused, err);
}

static hsd_status begin_pickle(tm *t, hsd_error *err)
{
    uint64_t protocol;
    HSD_TRY(pickle_number(t, 1, &protocol, err));
    if (protocol >= OLDEST && protocol <= NEWEST) return HSD_OK;
    return hsd_fail_at(err, HSD_E_TOO_NEW, hsd_source_offset(t->source),
                       "this is a pickle of protocol %" PRIu64 ", and those up to %d are read", protocol, NEWEST);
}

static hsd_status refuse_instruction(const tm *t, uint8_t instruction, hsd_error *err)
{
    hsd_fail_at(err, HSD_E_UNSUPPORTED, hsd_source_offset(t->source) - 1,
                "this pickle has the instruction 0x%02x, which no snapshot of tracemalloc needs: it is not read",
                instruction);
    hsd_error_set_hint(err, "only what tracemalloc.Snapshot.dump() has written is read, and nothing of it is run");
    return HSD_E_UNSUPPORTED;
}

static hsd_status execute(tm *t, uint8_t instruction, hsd_error *err)
{
    switch (instruction) {
    case PROTO: return begin_pickle(t, err);
    case FRAME: return pass_over(t, 8, err);
    case '(': return mark(t, err);
    case 'K': return push_plain(t, 1, err);
    case 'M': return push_plain(t, 2, err);
    case 'J': return push_plain(t, 4, err);
    case LONG_1: return push_long(t, err);
    case SHORT_TEXT: return push_text(t, 1, err);
    case 'X': return push_text(t, 4, err);
    case LONG_TEXT: return push_text(t, 8, err);
    case ')': return fold(t, 0, err);
    case TUPLE_1: return fold(t, 1, err);
    case TUPLE_2: return fold(t, 2, err);
    case TUPLE_3: return fold(t, 3, err);
    case 't': return fold_marked(t, err);
    case ']': return begin_list(t, err);
    case 'a': return append_one(t, err);
    case 'e': return take_marked(t, true, err);
    case '}':
    case 'N':
    case TRUE_:
    case FALSE_: return push_pickle(t, tm_make(TM_OTHER, 0), err);
    case 's': return drop(t, 2, err);
    case 'u': return take_marked(t, false, err);
    case 'b': return drop(t, 1, err);
    case '0': return drop(t, 1, err);
    case MEMOIZE: return memoize(t, err);
    case 'h': return recall(t, 1, err);
    case 'j': return recall(t, 4, err);
    case STACK_GLOBAL: return name_class(t, err);
    case NEW_OBJECT: return make_object(t, err);
    default: return refuse_instruction(t, instruction, err);
    }
}

hsd_status hsd_tm_read(tm *t, hsd_error *err)
{
    const uint8_t *instruction;
    uint64_t done = 0;
    for (;;) {
        HSD_TRY(bytes(t, 1, &instruction, err));
        if (*instruction == '.') break;
        HSD_TRY(execute(t, *instruction, err));
        if ((++done & 0xffff) == 0)
            HSD_TRY(hsd_progress(t->import->reporter, "reading traces", hsd_source_offset(t->source),
                                 t->source->total_bytes, err));
    }
    return t->has_list ? HSD_OK : refuse_pickle(t, "it has no traces", err);
}
