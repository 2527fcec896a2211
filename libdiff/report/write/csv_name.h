/*
 * A name as a field of CSV, for lists as long as a heap that are written record by record.
 */
#ifndef HSD_REPORT_CSV_NAME_H
#define HSD_REPORT_CSV_NAME_H

#include <hsdiff/report.h>

/* Writes the escaped name; allocates only for names that are very long. */
hsd_status hsd_csv_write_name(hsd_write_fn write, void *context, hsd_text name, hsd_error *err);

#endif
