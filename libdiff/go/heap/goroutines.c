/*
 * Goroutines as the scan meets them: which objects they are, and by what their roots will be called. The function that
 * one was started with is the outermost of its frames, which come innermost first; behind a wrapper that the compiler
 * made (for `go f(x)`) it is the one that the wrapper calls. Where the code of that was copied into the wrapper, it has
 * no frame: the executable says what was copied.
 */
#include <string.h>

#include "base/check.h"
#include "go/dwarf/go_types.h"
#include "go/heap/goheap.h"
#include "go/heap/typed.h"

hsd_status hsd_goheap_note_goroutine(goheap *go, uint64_t address, uint64_t created_at, hsd_error *err)
{
    uint32_t number;
    HSD_TRY(hsd_goheap_check_memory(go, err));
    HSD_TRY(hsd_id_table_put(&go->goroutines, address, &number, err));
    HSD_TRY(hsd_import_grow((void **)&go->starts, &go->start_room, number, sizeof *go->starts, err));
    go->starts[number] = (goheap_start){.created_at = created_at};
    go->start = number;
    return HSD_OK;
}

static bool is_wrapper(const goheap *go, const char *function, uint64_t pc)
{
    if (hsd_go_is_wrapper(function)) return true;
    if (go->typed == NULL || pc <= go->typed->typing.bias) return false;
    const gotyping *typing = &go->typed->typing;
    const hsd_go_function *code = hsd_go_types_code_at(&typing->types, pc - typing->bias);
    return code != NULL && hsd_go_types_is_wrapper(&typing->types, code);
}

hsd_status hsd_goheap_note_function(goheap *go, hsd_bytes name, uint64_t pc, hsd_error *err)
{
    char text[256];
    uint32_t number;
    if (go->start == 0) return HSD_OK;
    const size_t size = hsd_min_u64(name.size, sizeof text - 1);
    memcpy(text, name.data, size);
    text[size] = '\0';
    goheap_start *start = &go->starts[go->start];
    if (strcmp(text, "runtime.goexit") == 0) return HSD_OK;
    if (go->typed != NULL && hsd_gotask_is_own(&go->typed->typing, pc)) start->own_at = pc;
    HSD_TRY(hsd_names_put(&go->out.strings.names, name, &number, err));
    if (is_wrapper(go, text, pc)) {
        start->wrapper = number + 1;
        start->wrapper_at = pc;
    } else
        start->function = number + 1;
    return HSD_OK;
}

const goheap_start *hsd_goheap_start_of(const goheap *go, uint64_t address)
{
    const uint32_t number = hsd_id_table_find(&go->goroutines, address);
    return number == 0 ? NULL : &go->starts[number];
}

static hsd_status note_slot(void *context, uint64_t offset, uint64_t value, hsd_error *err)
{
    goheap *go = context;
    uint64_t target;
    uint32_t number;
    (void)offset;
    if (!hsd_goheap_index_find(&go->index, value, &target)) return HSD_OK;
    const uint32_t before = go->slots.count;
    HSD_TRY(hsd_id_table_put(&go->slots, target, &number, err));
    return go->slots.count == before ? HSD_OK : hsd_goheap_check_memory(go, err);
}

hsd_status hsd_goheap_note_slots(goheap *go, const goheap_content *content, hsd_error *err)
{
    return hsd_goheap_read_words(go, content, note_slot, go, err);
}
