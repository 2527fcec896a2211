/*
 * What holds the heap. Producers make nodes of it: "[static vars]" with a "[static var Shop.Registry.Sessions]" for
 * each field, "[local vars]",
 * "[strong Handles]". Static fields own; stacks, handles and finalizers are secondary, since a static field is itself
 * an element of an array that a handle pins: else every static field would share all it has with "strong Handles".
 */
#include <string.h>

#include "import/gcdump/gcdump.h"

typedef struct known_root {
    const char *part; /* of the name, in small letters */
    hsc_root_kind kind;
    uint32_t flags;
} known_root;

static const known_root known[] = {
    {"static var", HSC_ROOT_STATIC, 0},
    {"local var", HSC_ROOT_STACK, HSC_ROOT_SECONDARY},
    {"finalizer", HSC_ROOT_FINALIZER, HSC_ROOT_SECONDARY},
    {"handle", HSC_ROOT_HANDLE, HSC_ROOT_SECONDARY},
    {"com/winrt", HSC_ROOT_HANDLE, HSC_ROOT_SECONDARY},
    {"other roots", HSC_ROOT_RUNTIME, HSC_ROOT_SECONDARY},
    {"", HSC_ROOT_GLOBAL, 0},
};

static uint8_t small(uint8_t c) { return c >= 'A' && c <= 'Z' ? (uint8_t)(c - 'A' + 'a') : c; }

/* Fields may be called anything: what counts begins the name, but for a word or two in front ("thread static vars",
 * "strong Handles"). */
static bool has(hsd_bytes name, const char *part)
{
    const size_t size = strlen(part);
    for (size_t first = 0; first + size <= name.size && first < 24; first++) {
        size_t same = 0;
        while (same < size && small(name.data[first + same]) == (uint8_t)part[same])
            same++;
        if (same == size) return true;
    }
    return false;
}

void hsd_gcdump_judge_root(gcdump_type *type, hsd_bytes name)
{
    const known_root *row = known;
    while (!has(name, row->part))
        row++;
    type->is_root = true;
    type->root_kind = row->kind;
    type->root_flags = row->flags;
}
