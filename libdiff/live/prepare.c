/*
 * Programs that are about to be started: the first way that says "mine" makes them ready.
 */
#include "live/choose.h"

hsd_status hsd_live_prepare(const char *const *command, const char *way, const char **chosen, hsd_set_variable_fn set, void *context,
                            hsd_error *err)
{
    const hsd_way *row = NULL;
    hsd_status status = HSD_OK;
    *chosen = NULL;
    if (command == NULL || command[0] == NULL) return hsd_fail(err, HSD_E_MISUSE, "no command to prepare for");
    if (way != NULL) HSD_TRY(hsd_way_find(&row, way, err));
    for (size_t i = 0; hsd_way_row(i) != NULL; i++) {
        const hsd_way *one = hsd_way_row(i);
        if ((row != NULL && one != row) || one->prepare == NULL || !one->prepare(command, set, context, &status, err)) continue;
        *chosen = one->name;
        return status;
    }
    if (row == NULL) return hsd_fail(err, HSD_E_UNSUPPORTED, "no way fits the command %s", command[0]);
    hsd_fail(err, HSD_E_UNSUPPORTED, "%s is no command for the way %s: %s", command[0], row->name, row->summary);
    hsd_error_set_hint(err, "let hsdiff choose: leave --way out");
    return HSD_E_UNSUPPORTED;
}
