/*
 * Programs that are about to be started: the first way that says "mine" makes them ready. And what ways need for that:
 * variables of the environment, the folders of agents, scripts.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "live/choose.h"
#include "live/command.h"

bool hsd_command_is_script_of(const char *command, const char *interpreter)
{
    char path[4096], line[256];
    if (!hsd_command_resolve(command, path, sizeof path)) return false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    const ssize_t got = read(fd, line, sizeof line - 1);
    close(fd);
    line[got > 0 ? got : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return strncmp(line, "#!", 2) == 0 && strstr(line, interpreter) != NULL;
}

hsd_status hsd_agent_folder(char *out, size_t size, const char *name, const char *variable, const char *separators,
                            hsd_error *err)
{
    HSD_TRY(hsd_agent_path(out, size, name, err));
    char *slash = strrchr(out, '/');
    if (slash != NULL) slash[slash == out] = '\0'; /* "/" stays */
    const char *separator = strpbrk(out, separators);
    if (separator == NULL) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "%s cannot name %s: it has a %s in it", variable, out,
             *separator == ':' ? "colon" : "semicolon");
    hsd_error_set_hint(err, "copy the agents elsewhere and let HSDIFF_AGENTS name that folder");
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_put_in_front(const char *name, const char *word, char between, hsd_set_variable_fn set, void *context,
                            hsd_error *err)
{
    const char *before = getenv(name);
    if (before == NULL || *before == '\0') {
        set(context, name, word);
        return HSD_OK;
    }
    const size_t size = strlen(word) + strlen(before) + 2;
    char *both = malloc(size);
    if (both == NULL) return hsd_fail_nomem(err, "a variable of the environment");
    snprintf(both, size, "%s%c%s", word, between, before);
    set(context, name, both);
    free(both);
    return HSD_OK;
}

hsd_status hsd_live_prepare(const char *const *command, const char *way, const char **chosen, hsd_set_variable_fn set,
                            void *context, hsd_error *err)
{
    const hsd_way *row = NULL;
    hsd_status status = HSD_OK;
    *chosen = NULL;
    if (command == NULL || command[0] == NULL) return hsd_fail(err, HSD_E_MISUSE, "no command to prepare for");
    if (way != NULL) HSD_TRY(hsd_way_find(&row, way, err));
    for (size_t i = 0; hsd_way_row(i) != NULL; i++) {
        const hsd_way *one = hsd_way_row(i);
        if ((row != NULL && one != row) || one->prepare == NULL || !one->prepare(command, set, context, &status, err))
            continue;
        *chosen = one->name;
        return status;
    }
    if (row == NULL) return hsd_fail(err, HSD_E_UNSUPPORTED, "no way fits the command %s", command[0]);
    hsd_fail(err, HSD_E_UNSUPPORTED, "%s is no command for the way %s: %s", command[0], row->name, row->summary);
    hsd_error_set_hint(err, "let hsdiff choose: leave --way out");
    return HSD_E_UNSUPPORTED;
}
