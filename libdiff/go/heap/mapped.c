/*
 * Memory that the program mapped itself (syscall.Mmap): a dump has the slice of it and none of its bytes. A word that
 * is a pointer to the beginning of a page, into no object and near no segment of the program, with twice the same
 * number of at least a page behind it, is such a slice; the number is how long it is. What is mapped counts once, with
 * the first object that has it.
 *
 * Package syscall lists all that it mapped, by the address of the last byte. That list owns nothing: who unmaps is the
 * program.
 */
#include "base/check.h"
#include "go/heap/goheap.h"

/* Linux has no more mappings than that a process, unless told to */
enum { PAGE = 4096, MOST_MAPPED = 65536, LONGEST_OBJECT = 65536 };
#define NEAR_BYTES (UINT64_C(1) << 30) /* the dump does not say where segments without pointers end */
#define MOST_BYTES (UINT64_C(1) << 40)

typedef struct search {
    goheap *go;
    const goheap_content *content;
    uint64_t bytes;
} search;

static bool is_of_program(const goheap *go, uint64_t address)
{
    const uint64_t low = go->globals_low > NEAR_BYTES ? go->globals_low - NEAR_BYTES : 0;
    return go->globals_high > 0 && address >= low && address < hsd_add_saturating(go->globals_high, NEAR_BYTES);
}

static uint64_t word_at(const search *s, uint64_t offset) { return hsd_goheap_word(s->go, s->go->bytes.data + offset); }

/* Of the list of package syscall: the word in front is the address of the last byte. */
static bool is_listed(const search *s, uint64_t offset, uint64_t value, uint64_t size)
{
    const unsigned word = s->go->pointer_bytes;
    return offset >= word && word_at(s, offset - word) == value + size - 1;
}

static hsd_status look_mapped(void *context, uint64_t offset, uint64_t value, hsd_error *err)
{
    search *s = context;
    goheap *go = s->go;
    const unsigned word = go->pointer_bytes;
    uint64_t begin;
    uint32_t number;
    if (value % PAGE != 0 || s->content->size < 3 * word || offset > s->content->size - 3 * word) return HSD_OK;
    const uint64_t size = word_at(s, offset + word);
    if (size < PAGE || size > MOST_BYTES || size != word_at(s, offset + 2 * word)) return HSD_OK;
    if (is_of_program(go, value) || hsd_goheap_index_find(&go->index, value, &begin) ||
        is_listed(s, offset, value, size))
        return HSD_OK;
    if (go->mapped.count >= MOST_MAPPED || hsd_id_table_find(&go->mapped, value) != 0) return HSD_OK;
    HSD_TRY(hsd_id_table_put(&go->mapped, value, &number, err));
    s->bytes = hsd_add_saturating(s->bytes, size);
    return HSD_OK;
}

hsd_status hsd_goheap_mapped_bytes(goheap *go, const goheap_content *content, uint64_t *bytes, hsd_error *err)
{
    search s = {.go = go, .content = content};
    *bytes = 0;
    if (content->size > LONGEST_OBJECT) return HSD_OK;
    HSD_TRY(hsd_goheap_read_content(go, content, look_mapped, &s, err));
    *bytes = s.bytes;
    return HSD_OK;
}
