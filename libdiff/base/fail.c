/* Failures that every stage has. */
#include "base/fail.h"

hsd_status hsd_fail_nomem(hsd_error *err, const char *what)
{
    return hsd_fail(err, HSD_E_NOMEM, "out of memory for %s", what);
}
