/* Libraries that were unloaded. See gone.h. */
#include "native/gone.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "native/hooks.h"
#include "native/lock.h"

enum { NOTE_BYTES = 4096 };

static hsn_gone gone[HSN_MOST_GONE];
static _Atomic size_t gone_count;
static hsn_lock noting;

/* ---- those that are there ---- */

/* Inside of dl_iterate_phdr: it cannot go meanwhile. The program itself has no name, and does not go. */
static bool describe(const struct dl_phdr_info *info, hsn_gone *out)
{
    *out = (hsn_gone){.low = UINTPTR_MAX, .bias = info->dlpi_addr};
    out->name_size = hsn_library_name(info->dlpi_name, strlen(info->dlpi_name), out->name);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t low = info->dlpi_addr + p->p_vaddr, high = low + p->p_memsz;
        if (p->p_type == PT_LOAD && low < out->low) out->low = low;
        if (p->p_type == PT_LOAD && high > out->high) out->high = high;
        if (p->p_type == PT_NOTE && out->build_id_size == 0)
            out->build_id_size = hsn_library_build_id((const unsigned char *)low,
                                                      p->p_memsz < NOTE_BYTES ? p->p_memsz : NOTE_BYTES, out->build_id);
    }
    return out->name_size > 0 && out->low < out->high;
}

static int add_present(struct dl_phdr_info *info, size_t size, void *context)
{
    hsn_present *present = context;
    (void)size;
    if (present->count < HSN_MOST_PRESENT) present->count += describe(info, &present->libraries[present->count]);
    return 0;
}

hsn_present *hsn_gone_look(void)
{
    hsn_present *present = hsn_real.malloc(sizeof *present);
    if (present == NULL) return NULL;
    present->count = 0;
    dl_iterate_phdr(add_present, present);
    return present;
}

/* ---- those that are gone ---- */

static bool is_same(const hsn_gone *a, const hsn_gone *b)
{
    return a->low == b->low && a->high == b->high && a->name_size == b->name_size &&
           memcmp(a->name, b->name, a->name_size) == 0 && a->build_id_size == b->build_id_size &&
           memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

/* Under the lock. */
static void add_gone(const hsn_gone *library)
{
    const size_t count = atomic_load(&gone_count);
    bool is_doubtful = false;
    for (size_t i = 0; i < count; i++) {
        if (is_same(&gone[i], library)) return;
        if (gone[i].high <= library->low || gone[i].low >= library->high) continue;
        gone[i].is_doubtful = is_doubtful = true;
    }
    if (count == HSN_MOST_GONE) return;
    gone[count] = *library;
    gone[count].is_doubtful = is_doubtful;
    atomic_store_explicit(&gone_count, count + 1, memory_order_release);
}

/* What is there is not gone: it loses its low address. */
static int strike_out(struct dl_phdr_info *info, size_t size, void *context)
{
    hsn_present *before = context;
    hsn_gone here;
    (void)size;
    if (!describe(info, &here)) return 0;
    for (size_t i = 0; i < before->count; i++)
        if (is_same(&before->libraries[i], &here)) before->libraries[i].low = UINTPTR_MAX;
    return 0;
}

void hsn_gone_note(hsn_present *before)
{
    if (before == NULL) return;
    dl_iterate_phdr(strike_out, before);
    hsn_lock_take(&noting, false);
    for (size_t i = 0; i < before->count; i++)
        if (before->libraries[i].low != UINTPTR_MAX) add_gone(&before->libraries[i]);
    hsn_lock_give(&noting);
    hsn_real.free(before);
}

void hsn_gone_adopt(void) { hsn_lock_give(&noting); }

const hsn_gone *hsn_gone_at(uintptr_t address)
{
    const size_t count = atomic_load_explicit(&gone_count, memory_order_acquire);
    for (size_t i = 0; i < count; i++)
        if (address >= gone[i].low && address < gone[i].high) return gone[i].is_doubtful ? NULL : &gone[i];
    return NULL;
}
