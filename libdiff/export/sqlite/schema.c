/*
 * Making the schema, and knowing which parts of it somebody reads.
 */
#include "export/sqlite/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"

static const hsd_index_text indexes[] = {
    {HSD_TABLE_OF_TYPES, "name", "CREATE INDEX @types_by_name ON @types(name)"},
    {HSD_TABLE_OF_OBJECTS, "id", "CREATE INDEX @objects_by_id ON @objects(id)"},
    {HSD_TABLE_OF_OBJECTS, "type", "CREATE INDEX @objects_by_type ON @objects(type)"},
    {HSD_TABLE_OF_REFS, "target", "CREATE INDEX @refs_by_target ON @refs(target)"},
    {HSD_TABLE_OF_ROOTS, "target", "CREATE INDEX @roots_by_target ON @roots(target)"},
    {HSD_TABLE_OF_SITES, "parent", "CREATE INDEX @sites_by_parent ON @sites(parent)"},
    {HSD_TABLE_OF_PLACES, "parent", "CREATE INDEX @places_by_parent ON @places(parent)"},
    {HSD_TABLE_OF_RETAINED, "dominator", "CREATE INDEX @retained_by_dominator ON @retained(dominator)"},
    {HSD_TABLE_OF_GROWTH_PLACES, "parent", "CREATE INDEX @growth_places_by_parent ON @growth_places(parent)"},
    {HSD_TABLE_OF_CHANGES, "id", "CREATE INDEX @changes_by_id ON @changes(id)"},
    {HSD_TABLE_OF_MATCHES, "before_id", "CREATE INDEX @matches_by_before_id ON @matches(before_id)"},
    {HSD_TABLE_OF_MATCHES, "after_id", "CREATE INDEX @matches_by_after_id ON @matches(after_id)"},
};
_Static_assert(HSD_ARRAY_LEN(indexes) <= 32, "one bit each");

/* ---- what is wanted */

void hsd_wanted_add(hsd_wanted *wanted, const char *name, const char *column)
{
    const bool is_before = strncmp(name, HSD_BEFORE, sizeof HSD_BEFORE - 1) == 0;
    const char *plain = name + (is_before ? sizeof HSD_BEFORE - 1 : 0);
    for (unsigned i = 0; i < HSD_TABLE_COUNT; i++)
        if (strcmp(hsd_table_get(i)->name, plain) == 0) wanted->tables[!is_before][i] = true;
    for (unsigned i = 0; i < HSD_ARRAY_LEN(indexes); i++)
        if (strcmp(hsd_table_get(indexes[i].table)->name, plain) == 0 && strcmp(indexes[i].column, column) == 0)
            wanted->indexes[!is_before] |= UINT32_C(1) << i;
}

/* ---- making it */

/* `sql` with the prefix in it; statements of the schema have less than 4 KiB. */
static hsd_status make_schema(hsd_database *database, const char *stage, const char *prefix, const char *sql,
                              hsd_error *err)
{
    char text[6144];
    size_t used = 0;
    for (; *sql != '\0' && used < sizeof text - 16; sql++)
        used += *sql == '@' ? (size_t)snprintf(text + used, sizeof text - used, "%s", prefix)
                            : (text[used] = *sql, (size_t)1);
    text[used] = '\0';
    if (*sql != '\0') return hsd_fail(err, HSD_E_MISUSE, "a statement of the schema is too long");
    return hsd_database_exec(database, stage, text, err);
}

static hsd_status make_for(hsd_database *database, hsd_scope scope, bool is_pair, const char *sql, hsd_error *err)
{
    if (scope == HSD_OF_PAIR && !is_pair) return HSD_OK;
    if (scope == HSD_OF_EACH && is_pair) HSD_TRY(make_schema(database, NULL, HSD_BEFORE, sql, err));
    return make_schema(database, NULL, "", sql, err);
}

hsd_status hsd_schema_make(hsd_database *database, bool is_pair, hsd_error *err)
{
    char marks[100];
    for (unsigned i = 0; i < HSD_TABLE_COUNT; i++)
        HSD_TRY(make_for(database, hsd_table_get(i)->scope, is_pair, hsd_table_get(i)->sql, err));
    for (const hsd_view_text *view = hsd_views; view->sql != NULL; view++)
        HSD_TRY(make_for(database, view->scope, is_pair, view->sql, err));
    snprintf(marks, sizeof marks, "PRAGMA application_id=%d; PRAGMA user_version=%d;", HSD_SCHEMA_APPLICATION,
             HSD_SCHEMA_VERSION);
    return hsd_database_exec(database, NULL, marks, err);
}

hsd_status hsd_schema_index(hsd_database *database, const hsd_wanted *wanted, hsd_error *err)
{
    for (unsigned side = 0; side < 2; side++)
        for (unsigned i = 0; i < HSD_ARRAY_LEN(indexes); i++) {
            const bool is_wanted = (wanted->indexes[side] >> i & 1) != 0 && wanted->tables[side][indexes[i].table];
            if (is_wanted)
                HSD_TRY(make_schema(database, "building indexes", side == 0 ? HSD_BEFORE : "", indexes[i].sql, err));
        }
    return HSD_OK;
}
