/*
 * .eh_frame_hdr ──binary search──► FDE ──► CIE; then both programs are run up to the instruction. DWARF 5 §6.4, and the
 * Linux Standard Base for what differs in .eh_frame. Only sp, bp and the return address are followed; of others that a
 * function gives back it is told where they were put.
 */
#include "native/cfi.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static int (*find_object)(void *, struct dl_find_object *); /* NULL = glibc before 2.35 */

enum { DWARF_BP = 6, DWARF_SP = 7, DWARF_RA = 16, REMEMBERED = 8 };
enum { ENC_PCREL = 0x10, ENC_SDATA4 = 0x0b, ENC_UDATA4 = 0x03, ENC_OMIT = 0xff, HDR_TABLE = 0x3b };

typedef struct cursor {
    const uint8_t *at, *end;
} cursor;

typedef struct registers { /* the row of the table that is being built */
    uint64_t cfa_register;
    int64_t cfa_offset;
    const uint8_t *expression; /* instead of both; NULL = none */
    uint64_t expression_size;
    int64_t bp_offset, ra_offset; /* from the CFA */
    /* is_odd: a rule for bp or ra that is not followed */
    bool is_bp_saved, is_ra_saved, is_ra_undefined, is_odd;
    int32_t kept[HSN_KEPT]; /* likewise; 0 = not saved */
    bool is_kept_odd;
} registers;

typedef struct description { /* a CIE, and what the FDE adds */
    uint64_t code_align, ra_register;
    int64_t data_align;
    uint8_t encoding;
    bool has_data, is_signal;
    uintptr_t begin, end;
    cursor first, then; /* programs */
} description;

static uint64_t fixed(cursor *c, size_t size)
{
    uint64_t v = 0;
    if ((size_t)(c->end - c->at) < size) {
        c->at = c->end;
        return 0;
    }
    memcpy(&v, c->at, size);
    c->at += size;
    return v;
}

static uint64_t uleb(cursor *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; c->at < c->end; shift += 7) {
        const uint8_t byte = *c->at++;
        if (shift < 64) v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) break;
    }
    return v;
}

static int64_t sleb(cursor *c)
{
    uint64_t v = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    while (c->at < c->end) {
        byte = *c->at++;
        if (shift < 64) v |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte < 0x80) break;
    }
    if (shift < 64 && (byte & 0x40) != 0) v |= ~UINT64_C(0) << shift;
    return (int64_t)v;
}

/* An encoded pointer; 0 for an encoding that no linker writes here. */
static uintptr_t pointer(cursor *c, uint8_t encoding)
{
    const uintptr_t here = (uintptr_t)c->at;
    const uintptr_t base = (encoding & 0x70) == ENC_PCREL ? here : 0;
    switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c: return base + fixed(c, 8);
    case 0x01: return base + uleb(c);
    case 0x02: return base + fixed(c, 2);
    case 0x03: return base + fixed(c, 4);
    case 0x09: return base + (uintptr_t)sleb(c);
    case 0x0a: return base + (uintptr_t)(int64_t)(int16_t)fixed(c, 2);
    case 0x0b: return base + (uintptr_t)(int64_t)(int32_t)fixed(c, 4);
    default: return 0;
    }
}

/* The entry that begins here, without its length; empty at the end of the section. */
static cursor entry_at(const uint8_t *at)
{
    uint32_t length;
    memcpy(&length, at, sizeof length);
    if (length == 0 || length == UINT32_MAX) length = 0;
    return (cursor){at + 4, at + 4 + length};
}

static bool read_cie(const uint8_t *at, description *d)
{
    cursor c = entry_at(at);
    if (fixed(&c, 4) != 0 || c.at >= c.end) return false;
    const uint8_t version = (uint8_t)fixed(&c, 1);
    const char *augmentation = (const char *)c.at;
    while (c.at < c.end && *c.at != 0)
        c.at++;
    c.at++;
    d->code_align = uleb(&c);
    d->data_align = sleb(&c);
    d->ra_register = version == 1 ? fixed(&c, 1) : uleb(&c);
    if (augmentation[0] != 'z') {
        d->first = c;
        return augmentation[0] == '\0';
    }
    d->has_data = true;
    const uint64_t size = uleb(&c);
    cursor data = {c.at, c.at + size};
    if (size > (uint64_t)(c.end - c.at)) return false;
    d->first = (cursor){data.end, c.end};
    for (const char *letter = augmentation + 1; *letter != '\0'; letter++) {
        if (*letter == 'R') d->encoding = (uint8_t)fixed(&data, 1);
        if (*letter == 'L') (void)fixed(&data, 1);
        if (*letter == 'S') d->is_signal = true;
        if (*letter == 'P') {
            const uint8_t encoding = (uint8_t)fixed(&data, 1);
            (void)pointer(&data, encoding);
        }
    }
    return true;
}

static bool read_fde(const uint8_t *at, description *d)
{
    cursor c = entry_at(at);
    const uint8_t *cie = c.at;
    const uint32_t distance = (uint32_t)fixed(&c, 4);
    if (distance == 0 || !read_cie(cie - distance, d)) return false;
    d->begin = pointer(&c, d->encoding);
    d->end = d->begin + pointer(&c, d->encoding & 0x0f);
    if (d->has_data) {
        const uint64_t skipped = uleb(&c);
        if (skipped > (uint64_t)(c.end - c.at)) return false;
        c.at += skipped;
    }
    d->then = c;
    return true;
}

/* The last FDE of the table that begins at or before pc. */
static const uint8_t *find_fde(const uint8_t *header, uintptr_t pc)
{
    if (header[0] != 1 || header[3] != HDR_TABLE || header[2] != ENC_UDATA4) return NULL;
    cursor c = {header + 4, header + 32};
    (void)pointer(&c, header[1]);
    const uint32_t count = (uint32_t)fixed(&c, 4);
    const int64_t wanted = (int64_t)(pc - (uintptr_t)header);
    int32_t row[2];
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        memcpy(row, c.at + (size_t)middle * sizeof row, sizeof row);
        if (row[0] <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return NULL;
    memcpy(row, c.at + (size_t)(low - 1) * sizeof row, sizeof row);
    return header + row[1];
}

const uint8_t hsn_kept_numbers[HSN_KEPT] = {3, DWARF_BP, 12, 13, 14, 15};

/* HSN_KEPT: it is none of them. */
static size_t kept_of(uint64_t which)
{
    size_t i = 0;
    while (i < HSN_KEPT && hsn_kept_numbers[i] != which)
        i++;
    return i;
}

static void set_register(registers *r, uint64_t which, bool is_saved, int64_t offset)
{
    const size_t kept = kept_of(which);
    if (kept < HSN_KEPT) {
        r->kept[kept] = is_saved ? (int32_t)offset : 0;
        r->is_kept_odd = r->is_kept_odd || (is_saved && (offset >= 0 || offset < -INT32_MAX || offset % 8 != 0));
    }
    if (which == DWARF_BP) {
        r->is_bp_saved = is_saved;
        r->bp_offset = offset;
    } else if (which == DWARF_RA) {
        r->is_ra_saved = is_saved;
        r->ra_offset = offset;
        r->is_ra_undefined = false;
    }
}

static void restore_register(registers *r, const registers *initial, uint64_t which)
{
    if (which == DWARF_BP) set_register(r, which, initial->is_bp_saved, initial->bp_offset);
    if (which == DWARF_RA) set_register(r, which, initial->is_ra_saved, initial->ra_offset);
    const size_t kept = kept_of(which);
    if (kept < HSN_KEPT) r->kept[kept] = initial->kept[kept];
}

static void mark_odd(registers *r, uint64_t which)
{
    r->is_odd = r->is_odd || which == DWARF_BP || which == DWARF_RA;
    r->is_kept_odd = r->is_kept_odd || kept_of(which) < HSN_KEPT;
}

typedef struct machine {
    const description *d;
    registers now, initial, remembered[REMEMBERED];
    unsigned depth;
    uintptr_t pc, at; /* wanted; reached */
} machine;

static void expression_of(machine *m, cursor *c)
{
    m->now.expression_size = uleb(c);
    m->now.expression = c->at;
    if (m->now.expression_size > (uint64_t)(c->end - c->at)) m->now.expression_size = 0;
    c->at += m->now.expression_size;
}

static void skip_expression(cursor *c)
{
    const uint64_t size = uleb(c);
    c->at = size > (uint64_t)(c->end - c->at) ? c->end : c->at + size;
}

static void define_cfa(machine *m, uint64_t which, int64_t offset)
{
    m->now.cfa_register = which;
    m->now.cfa_offset = offset;
    m->now.expression = NULL;
}

/* Instructions without an operand in their first byte. False: one that is not known, behind which nothing can be read.
 */
static bool step_extended(machine *m, uint8_t op, cursor *c)
{
    const int64_t align = m->d->data_align;
    uint64_t which;
    switch (op) {
    case 0x00: return true;                                          /* nop */
    case 0x01: m->at = pointer(c, m->d->encoding); return true;      /* set_loc */
    case 0x02: m->at += fixed(c, 1) * m->d->code_align; return true; /* advance_loc1 … */
    case 0x03: m->at += fixed(c, 2) * m->d->code_align; return true;
    case 0x04: m->at += fixed(c, 4) * m->d->code_align; return true;
    case 0x05:
        which = uleb(c);
        set_register(&m->now, which, true, (int64_t)uleb(c) * align);
        return true; /* offset_extended */
    case 0x06: restore_register(&m->now, &m->initial, uleb(c)); return true;
    case 0x07: /* undefined */
        which = uleb(c);
        if (which == DWARF_RA) m->now.is_ra_undefined = true;
        return true;
    case 0x08: set_register(&m->now, uleb(c), false, 0); return true; /* same_value */
    case 0x09:
        mark_odd(&m->now, uleb(c));
        (void)uleb(c);
        return true; /* register */
    case 0x0a:       /* remember_state */
        if (m->depth == REMEMBERED) return false;
        m->remembered[m->depth++] = m->now;
        return true;
    case 0x0b: /* restore_state */
        if (m->depth == 0) return false;
        m->now = m->remembered[--m->depth];
        return true;
    case 0x0c:
        which = uleb(c);
        define_cfa(m, which, (int64_t)uleb(c));
        return true;
    case 0x0d: define_cfa(m, uleb(c), m->now.cfa_offset); return true;
    case 0x0e: define_cfa(m, m->now.cfa_register, (int64_t)uleb(c)); return true;
    case 0x0f: expression_of(m, c); return true;
    case 0x10:
    case 0x16:
        mark_odd(&m->now, uleb(c));
        skip_expression(c);
        return true;
    case 0x11:
        which = uleb(c);
        set_register(&m->now, which, true, sleb(c) * align);
        return true;
    case 0x12:
        which = uleb(c);
        define_cfa(m, which, sleb(c) * align);
        return true;
    case 0x13: define_cfa(m, m->now.cfa_register, sleb(c) * align); return true;
    case 0x14:
    case 0x15:
        mark_odd(&m->now, uleb(c));
        (void)uleb(c);
        return true;                       /* val_offset */
    case 0x2e: (void)uleb(c); return true; /* GNU_args_size */
    case 0x2f:
        which = uleb(c);
        set_register(&m->now, which, true, -(int64_t)uleb(c) * align);
        return true;
    default: return false;
    }
}

/* Runs a program as long as it speaks of instructions up to pc. */
static bool run_cfi(machine *m, cursor c)
{
    while (c.at < c.end && m->at <= m->pc) {
        const registers before = m->now;
        const uint8_t op = *c.at++, low = op & 0x3f;
        bool is_known = true;
        switch (op >> 6) {
        case 1: m->at += low * m->d->code_align; break;
        case 2: set_register(&m->now, low, true, (int64_t)uleb(&c) * m->d->data_align); break;
        case 3: restore_register(&m->now, &m->initial, low); break;
        default: is_known = step_extended(m, op, &c);
        }
        if (!is_known) return false;
        if (m->at > m->pc) m->now = before;
    }
    return true;
}

/* sp + 8 + ((pc & 15) >= N) << 3: the linker's words for a procedure linkage table. */
static bool is_plt(const registers *r, uintptr_t pc, int32_t *offset)
{
    static const uint8_t before[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a}, behind[] = {0x2a, 0x33, 0x24, 0x22};
    const uint8_t *e = r->expression;
    if (r->expression_size != 11 || memcmp(e, before, 6) != 0 || memcmp(e + 7, behind, 4) != 0) return false;
    *offset = (pc & 15) >= (uintptr_t)(e[6] - 0x30) ? 16 : 8;
    return true;
}

/* breg6 N, deref: functions that align their stack anew. */
static bool is_realigned(const registers *r, int32_t *offset)
{
    cursor c = {r->expression, r->expression + r->expression_size};
    if (fixed(&c, 1) != 0x76) return false;
    *offset = (int32_t)sleb(&c);
    return fixed(&c, 1) == 0x06 && c.at == c.end;
}

static hsn_rule rule_of(const registers *r, const description *d, uintptr_t pc)
{
    hsn_rule rule = {.kind = HSN_RULE_NONE, .bp_at = HSN_BP_KEPT};
    if (d->is_signal) return (hsn_rule){.kind = HSN_RULE_SIGNAL};
    if (r->is_ra_undefined) return (hsn_rule){.kind = HSN_RULE_END};
    if (r->is_odd || !r->is_ra_saved || r->ra_offset != -8) return rule;
    if (r->is_bp_saved) {
        if (r->bp_offset % 8 != 0 || r->bp_offset < -8 * INT16_MAX || r->bp_offset > 0) return rule;
        rule.bp_at = (int16_t)(r->bp_offset / 8);
    }
    rule.cfa_offset = (int32_t)r->cfa_offset;
    if (r->expression != NULL) {
        if (is_plt(r, pc, &rule.cfa_offset))
            rule.kind = HSN_RULE_SP;
        else if (is_realigned(r, &rule.cfa_offset))
            rule.kind = HSN_RULE_BP_DEREF;
    } else if (r->cfa_offset == rule.cfa_offset) {
        if (r->cfa_register == DWARF_SP) rule.kind = HSN_RULE_SP;
        if (r->cfa_register == DWARF_BP) rule.kind = HSN_RULE_BP;
    }
    return rule;
}

void hsn_cfi_open(void)
{
#if defined(__x86_64__) /* elsewhere the rules would be others */
    void *symbol = dlsym(RTLD_DEFAULT, "_dl_find_object");
    memcpy(&find_object, &symbol, sizeof symbol);
#endif
}

/* The row of the table for pc, in m->now. */
static bool find_row(uintptr_t pc, description *d, machine *m)
{
    struct dl_find_object object;
    if (find_object == NULL || find_object((void *)pc, &object) != 0 || object.dlfo_eh_frame == NULL) return false;
    const uint8_t *fde = find_fde(object.dlfo_eh_frame, pc);
    if (fde == NULL || !read_fde(fde, d) || pc < d->begin || pc >= d->end || d->ra_register != DWARF_RA) return false;
    m->d = d;
    m->pc = pc;
    m->at = d->begin;
    if (!run_cfi(m, d->first)) return false;
    m->initial = m->now;
    m->at = d->begin;
    return run_cfi(m, d->then);
}

hsn_rule hsn_cfi_rule(uintptr_t pc)
{
    description d = {0};
    machine m = {0};
    if (find_row(pc, &d, &m)) return rule_of(&m.now, &d, pc);
    return (hsn_rule){.kind = HSN_RULE_NONE, .bp_at = HSN_BP_KEPT};
}

bool hsn_cfi_saved(uintptr_t pc, int32_t at[HSN_KEPT])
{
    description d = {0};
    machine m = {0};
    if (!find_row(pc, &d, &m) || d.is_signal || m.now.is_kept_odd) return false;
    for (size_t i = 0; i < HSN_KEPT; i++)
        at[i] = m.now.kept[i] / 8;
    return true;
}
