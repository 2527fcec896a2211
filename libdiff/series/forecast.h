/*
 * When memory is full, of a series whose points, totals and lost memory are there.
 */
#ifndef HSD_SERIES_FORECAST_H
#define HSD_SERIES_FORECAST_H

#include "series/store.h"

/* Fills series->forecast, when points, totals and what is lost are there. `limit_bytes` as hsd_series_options has it.
 */
hsd_status hsd_series_forecast(hsd_series *series, uint64_t limit_bytes, hsd_error *err);

#endif
