/*
 * The rules about records: numbers of tables are defined once and used only when defined, totals are those of the
 * records. See verify_state.h.
 */
#include <string.h>

#include "base/check.h"
#include "base/search.h"
#include "format/end_counts.h"
#include "format/verify_state.h"

#define FACT_VALUES       4u /* FORMAT.md 8.2, key 9 */
#define STRENGTH_MASK     3u
#define STRENGTH_RESERVED 3u
#define PLACE_IS_ROOT     1u

static const struct table_name {
    const char *name, *rule;
} tables[HSD_TABLES] = {
    [HSD_TABLE_STRING] = {"string", "6.2"},  [HSD_TABLE_TYPE] = {"type", "6.3"},
    [HSD_TABLE_LABEL] = {"label", "6.4"},    [HSD_TABLE_SITE] = {"site", "6.5"},
    [HSD_TABLE_THREAD] = {"thread", "6.10"},
};

/* ---- definitions and uses ---- */

static void run_out(hsd_verifier *v, const char *what)
{
    if (v->failure.status == HSD_OK) hsd_fault_set(&v->failure, HSD_E_NOMEM, NULL, "no memory for the %s", what);
}

static void define_verified_record(hsd_verifier *v, hsd_table table, uint32_t id)
{
    if (v->is_locating) return;
    if (id == 0) {
        hsd_verify_tell(v, "10.7", "a %s has number 0", tables[table].name);
        return;
    }
    const hsd_id_result result = hsd_id_set_add(&v->defined[table], id);
    if (result == HSD_ID_THERE)
        hsd_verify_tell(v, tables[table].rule, "%s %u is defined twice", tables[table].name, (unsigned)id);
    if (result == HSD_ID_NO_MEMORY) run_out(v, "numbers of a table");
}

static void use(hsd_verifier *v, hsd_table table, uint32_t id)
{
    if (id == 0) return;
    if (v->is_locating) {
        if (!hsd_id_set_has(&v->defined[table], id)) {
            hsd_verify_tell(v, tables[table].rule, "%s %u is used and nowhere defined", tables[table].name,
                            (unsigned)id);
        }
        return;
    }
    if (hsd_id_set_add(&v->used[table], id) == HSD_ID_NO_MEMORY) run_out(v, "numbers of a table");
}

/* What the fields of a record define and use. */
static void take_numbers(hsd_verifier *v, const hsd_form *form, const void *record)
{
    for (const hsd_field *field = form->fields; field->kind != 0; field++) {
        uint32_t number;
        if (field->role == HSD_FIELD_PLAIN || field->is_many) continue;
        memcpy(&number, (const uint8_t *)record + field->offset, sizeof number);
        if (field->role == HSD_FIELD_DEFINES)
            define_verified_record(v, (hsd_table)(field->table - 1), number);
        else
            use(v, (hsd_table)(field->table - 1), number);
    }
}

/* ---- what else holds for each kind ---- */

static void check_object(hsd_verifier *v, const hsd_object *object)
{
    take_numbers(v, &hsd_forms[HSD_FORM_OBJECT], object);
    for (uint32_t i = 0; i < object->reference_count; i++)
        use(v, HSD_TABLE_LABEL, object->labels[i]);
    if (v->is_locating) return;
    if (object->value.size > 0 && v->has_info && (v->facts & FACT_VALUES) == 0) {
        hsd_verify_tell(v, "6.6", "object 0x%llx has a value, and the capture says that there are none",
                        (unsigned long long)object->id);
    }
    hsd_verify_baseline_object(v, object);
    hsd_totals_add_object(&v->totals, object, &v->failure);
}

static void check_label(hsd_verifier *v, const hsd_label *label)
{
    if (!v->is_locating && (label->flags & STRENGTH_MASK) == STRENGTH_RESERVED) {
        hsd_verify_tell(v, "6.4", "label %u has a strength that is reserved", (unsigned)label->id);
    }
}

static void check_type_total(hsd_verifier *v, const hsd_type_total *total)
{
    if (v->is_locating) return;
    if (total->type < v->last_type)
        hsd_verify_tell(v, "6.14", "the totals of type %u do not stand in order", (unsigned)total->type);
    v->last_type = (uint64_t)total->type + 1;
    for (uint32_t i = 0; i < total->bucket_count; i++) {
        if (i > 0 && total->buckets[i] <= total->buckets[i - 1]) {
            hsd_verify_tell(v, "6.14", "the buckets of type %u do not ascend", (unsigned)total->type);
        }
        if (total->bucket_objects[i] == 0)
            hsd_verify_tell(v, "6.14", "type %u has an empty bucket", (unsigned)total->type);
    }
}

static void check_group_total(hsd_verifier *v, const hsd_group_total *total)
{
    if (total->kind == 0) use(v, HSD_TABLE_STRING, total->key);
    if (v->is_locating) return;
    const uint64_t group = (uint64_t)total->kind << 32 | total->key;
    if (group < v->last_group)
        hsd_verify_tell(v, "6.15", "the totals of group %u do not stand in order", (unsigned)total->key);
    v->last_group = group + 1;
}

static void check_site_total(hsd_verifier *v, const hsd_site_total *total)
{
    if (v->is_locating) return;
    if (total->site == 0) hsd_verify_tell(v, "6.20", "a site total of type %u has no site", (unsigned)total->type);
    if (v->file.header.minor < HSC_VERSION_MINOR_SITE_TOTALS && !v->is_salvaged)
        hsd_verify_tell(v, "3.4", "it has site totals, and says that it is of version %u.%u", v->file.header.major,
                        v->file.header.minor);
    if (v->is_salvaged) return; /* the totals may be lost, and the sites not */
    hsd_totals_add_site(&v->totals, total, &v->failure);
}

static void use_place(hsd_verifier *v, const hsd_place_total *place)
{
    const bool is_root = (place->flags & PLACE_IS_ROOT) != 0;
    use(v, is_root ? HSD_TABLE_STRING : HSD_TABLE_TYPE, place->name);
}

void hsd_verify_record(void *context, const hsd_block_header *header, const hsd_object *object,
                       const hsd_record *record)
{
    hsd_verifier *v = context;
    if (object != NULL) {
        check_object(v, object);
        return;
    }
    take_numbers(v, hsd_form_of_block(header->type), record);
    switch (header->type) {
    case HSC_BLOCK_LABELS: check_label(v, &record->label); break;
    case HSC_BLOCK_ROOTS:
        if (!v->is_locating) hsd_totals_add_root(&v->totals, &record->root);
        break;
    case HSC_BLOCK_TYPE_TOTALS: check_type_total(v, &record->type_total); break;
    case HSC_BLOCK_GROUP_TOTALS: check_group_total(v, &record->group_total); break;
    case HSC_BLOCK_PLACES: use_place(v, &record->place_total); break;
    case HSC_BLOCK_SITE_TOTALS: check_site_total(v, &record->site_total); break;
    default: break;
    }
}

/* ---- END ---- */

static void check_counts(hsd_verifier *v)
{
    hsd_fault fault = {.block = HSD_NO_BLOCK};
    for (unsigned i = 0; i < HSD_END_RULES; i++) {
        if (hsd_end_check(i, &v->content.counts, v->blocks.count - 1, v->end, &fault) == HSD_OK) continue;
        hsd_verify_tell(v, fault.rule, "%s", fault.text);
        hsd_verify_at(v, v->offset, v->number); /* tell each of them */
    }
}

/* ---- totals against records ---- */

/* First entry of the sorted totals whose key is at least `key`. */
static size_t find_entry(const hsd_totals *totals, uint64_t key)
{
    size_t low;
    HSD_LOWER_BOUND(low, 0, totals->used, totals->entries[low].key, key);
    return low;
}

typedef struct comparison {
    hsd_verifier *v;
    size_t found; /* entries of the totals that the capture has too */
    uint64_t roots[HSD_ROOT_KINDS];
} comparison;

static bool has_same_buckets(const hsd_type_total *stated, const hsd_totals *totals, size_t first, size_t end)
{
    if (stated->bucket_count != end - first) return false;
    for (size_t i = first; i < end; i++) {
        const hsd_total *total = &totals->entries[i];
        if (stated->buckets[i - first] != hsd_total_bucket(total) ||
            stated->bucket_objects[i - first] != total->objects || stated->bucket_bytes[i - first] != total->bytes) {
            return false;
        }
    }
    return true;
}

/* What a total leaves when those with records are taken off; a sum that stays at its most leaves anything (1.5). */
static uint64_t left_of(uint64_t total, uint64_t recorded)
{
    if (total == UINT64_MAX) return total;
    return total > recorded ? total - recorded : 0;
}

/* What is known by site is a part of what has no records: so many objects of the type, with so many bytes. */
static void compare_sites(comparison *c, uint32_t type, uint64_t objects, uint64_t bytes)
{
    const hsd_totals *totals = &c->v->totals;
    const uint64_t key = HSD_TOTAL_OF_SITES | (uint64_t)type << 8;
    const size_t at = find_entry(totals, key);
    if (at == totals->used || totals->entries[at].key != key) return;
    c->found++;
    if (totals->entries[at].objects > objects || totals->entries[at].bytes > bytes)
        hsd_verify_tell(c->v, "6.20", "the site totals of type %u are more than its totals leave", (unsigned)type);
}

static void compare_type(comparison *c, const hsd_type_total *stated)
{
    const hsd_totals *totals = &c->v->totals;
    const size_t first = find_entry(totals, HSD_TOTAL_OF_TYPE | (uint64_t)stated->type << 8);
    const size_t end = find_entry(totals, HSD_TOTAL_OF_TYPE | ((uint64_t)stated->type + 1) << 8);
    hsd_total sum = {0};
    for (size_t i = first; i < end; i++) {
        sum.objects += totals->entries[i].objects;
        sum.bytes = hsd_add_saturating(sum.bytes, totals->entries[i].bytes);
        sum.native_bytes = hsd_add_saturating(sum.native_bytes, totals->entries[i].native_bytes);
    }
    c->found += end - first;
    /* Objects that were only counted (8.4, key 20) stand in the sums and in no bucket. */
    const bool is_exact = c->v->end[HSC_END_COUNTED_OBJECTS] == 0 && c->v->end[HSC_END_COUNTED_BYTES] == 0;
    const bool is_same = is_exact ? stated->objects == sum.objects && stated->bytes == sum.bytes
                                  : stated->objects >= sum.objects && stated->bytes >= sum.bytes;
    if (!is_same || stated->native_bytes != sum.native_bytes || !has_same_buckets(stated, totals, first, end)) {
        hsd_verify_tell(c->v, "6.14", "the totals of type %u are not those of its objects", (unsigned)stated->type);
    }
    compare_sites(c, stated->type, left_of(stated->objects, sum.objects), left_of(stated->bytes, sum.bytes));
}

static void compare_group(comparison *c, const hsd_group_total *stated)
{
    const hsd_totals *totals = &c->v->totals;
    if (stated->kind == 1) {
        const uint64_t found = stated->key < HSD_ROOT_KINDS ? totals->roots[stated->key] : 0;
        if (stated->key < HSD_ROOT_KINDS) c->roots[stated->key] = found;
        if (stated->count != found || stated->bytes != 0)
            hsd_verify_tell(c->v, "6.15", "the total of root kind %u is not that of its roots", (unsigned)stated->key);
        return;
    }
    const size_t at = find_entry(totals, HSD_TOTAL_OF_CATEGORY | (uint64_t)stated->key << 8);
    const bool is_there = at < totals->used && hsd_total_is_category(&totals->entries[at]) &&
                          hsd_total_id(&totals->entries[at]) == stated->key;
    c->found += is_there;
    if (!is_there || totals->entries[at].objects != stated->count || totals->entries[at].bytes != stated->bytes) {
        hsd_verify_tell(c->v, "6.15", "the total of category %u is not that of its objects", (unsigned)stated->key);
    }
}

static hsd_status load_again(hsd_verifier *v, const hsd_block_ref *ref, hsd_fault *fault)
{
    hsd_verify_at(v, ref->offset_bytes, ref->number);
    return hsd_block_load(&v->block, &v->file.input, ref, v->file.header.seed, fault);
}

static hsd_status compare_block(comparison *c, const hsd_block_ref *ref, hsd_fault *fault)
{
    hsd_record_block *records = &c->v->content.records;
    hsd_record record;
    HSD_TRY(load_again(c->v, ref, fault));
    HSD_TRY(hsd_record_block_decode(records, &c->v->block, fault));
    while (hsd_record_block_next(records, &record)) {
        if (ref->type == HSC_BLOCK_TYPE_TOTALS) {
            compare_type(c, &record.type_total);
        } else {
            compare_group(c, &record.group_total);
        }
    }
    return HSD_OK;
}

static hsd_status compare_totals(hsd_verifier *v, hsd_fault *fault)
{
    comparison c = {.v = v};
    hsd_totals_sort(&v->totals);
    for (size_t i = 0; i < v->blocks.count; i++) {
        const hsd_block_ref *ref = &v->blocks.refs[i];
        if (ref->type == HSC_BLOCK_TYPE_TOTALS || ref->type == HSC_BLOCK_GROUP_TOTALS)
            HSD_TRY(compare_block(&c, ref, fault));
    }
    hsd_verify_at(v, v->end_offset, v->blocks.refs[v->blocks.count - 1].number);
    if (c.found < v->totals.used) /* one that stands there twice was told of */
        hsd_verify_tell(v, "6.14", "%zu sums by type or category are missing in the totals", v->totals.used - c.found);
    for (unsigned kind = 0; kind < HSD_ROOT_KINDS; kind++) {
        if (c.roots[kind] != v->totals.roots[kind])
            hsd_verify_tell(v, "6.15", "the total of root kind %u is missing", kind);
    }
    return HSD_OK;
}

/* ---- numbers without a definition ---- */

/* A second look at the records, only when it is known that there is something to find. */
static hsd_status locate_undefined(hsd_verifier *v, hsd_fault *fault)
{
    v->is_locating = true;
    v->content.has_last = false;
    v->content.sums = (hsd_sum_walk){0};
    for (size_t i = 0; i < v->blocks.count; i++) {
        const hsd_block_ref *ref = &v->blocks.refs[i];
        if (!hsd_content_is_counted(ref->type) || !hsd_verify_reads(v, ref->type)) continue;
        HSD_TRY(load_again(v, ref, fault));
        HSD_TRY(hsd_content_take(&v->content, &v->block, true, hsd_verify_record, v, fault));
    }
    v->is_locating = false;
    return HSD_OK;
}

static bool has_undefined(const hsd_verifier *v)
{
    for (unsigned table = 0; table < HSD_TABLES; table++) {
        if (hsd_id_set_first_missing(&v->used[table], &v->defined[table]) != UINT32_MAX) return true;
    }
    return false;
}

hsd_status hsd_verify_sums(hsd_verifier *v, hsd_fault *fault)
{
    if (v->has_lost || v->end[HSC_END_STATE] == 0) return HSD_OK;
    hsd_verify_at(v, v->end_offset, v->blocks.refs[v->blocks.count - 1].number);
    check_counts(v);
    HSD_TRY(compare_totals(v, fault));
    if (v->end[HSC_END_STATE] == HSC_STATE_COMPLETE && has_undefined(v)) return locate_undefined(v, fault);
    return HSD_OK;
}
