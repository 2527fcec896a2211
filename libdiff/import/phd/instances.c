/*
 * Which objects are threads and class loaders: their classes come behind them, so the first instances of every class
 * are kept until then. See phd.h.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "import/phd/phd.h"

static hsd_status row_of_class(phd *p, uint64_t class_address, phd_few **row, hsd_error *err)
{
    phd_instances *all = &p->instances;
    uint32_t number = hsd_id_table_find(&all->table, class_address);
    if (number == 0) {
        HSD_TRY(hsd_import_grow((void **)&all->rows, &all->row_room, all->table.count, sizeof *all->rows, err));
        HSD_TRY(hsd_id_table_put(&all->table, class_address, &number, err));
        HSD_TRY(hsd_phd_check_memory(p, err));
    }
    *row = &all->rows[number - 1];
    return HSD_OK;
}

static void give_up_row(phd_instances *all, phd_few *row)
{
    all->bytes -= row->room * sizeof *row->instances;
    free(row->instances);
    *row = (phd_few){.has_more = true};
}

hsd_status hsd_phd_add_instance(phd *p, uint64_t class_address, uint64_t address, hsd_error *err)
{
    phd_few *row;
    HSD_TRY(row_of_class(p, class_address, &row, err));
    if (row->has_more) return HSD_OK;
    if (row->count == PHD_FEW_INSTANCES) {
        give_up_row(&p->instances, row);
        return HSD_OK;
    }
    const uint32_t room = row->room;
    HSD_TRY(hsd_import_grow((void **)&row->instances, &row->room, row->count, sizeof *row->instances, err));
    row->instances[row->count++] = address;
    p->instances.bytes += (row->room - room) * sizeof *row->instances;
    return row->room == room ? HSD_OK : hsd_phd_check_memory(p, err);
}

static hsd_status root_class(phd *p, const phd_few *row, hsd_error *err)
{
    uint32_t number;
    for (uint32_t i = 0; i < row->count; i++)
        HSD_TRY(hsd_id_table_put(&p->rooted, row->instances[i], &number, err));
    return hsd_phd_check_memory(p, err);
}

hsd_status hsd_phd_root_instances(phd *p, bool *is_enough, hsd_error *err)
{
    *is_enough = true;
    for (uint32_t i = 0; i < p->classes.count; i++) {
        phd_class *of = &p->class_rows[i];
        const uint32_t number = hsd_id_table_find(&p->instances.table, of->address);
        if (number == 0 || (hsd_phd_flags_of(p, of) & (PHD_IS_THREAD | PHD_IS_LOADER)) == 0) continue;
        const phd_few *row = &p->instances.rows[number - 1];
        if (row->has_more) *is_enough = false;
        HSD_TRY(root_class(p, row, err));
    }
    return HSD_OK;
}

void hsd_phd_release_instances(phd_instances *instances)
{
    for (uint32_t i = 0; i < instances->table.count; i++)
        free(instances->rows[i].instances);
    free(instances->rows);
    hsd_id_table_release(&instances->table);
    *instances = (phd_instances){0};
}
