#define _GNU_SOURCE /* realpath */
/*
 * Where the agents lie: the folder that the environment names, or the places of an installation and of a build, as seen
 * from the program that runs.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "live/way.h"

static const char *const beside[] = {"../" HSD_LIBRARY_FOLDER "/hsdiff", "../lib/hsdiff", "../agents"};

/* The folder of this program; "" if it is not known. */
static void own_folder(char out[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
    out[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(out, '/');
    if (slash != NULL) *slash = '\0';
}

static bool agent_is_there(char *out, size_t size, const char *folder, const char *within, const char *name)
{
    char path[PATH_MAX], whole[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s%s%s/%s", folder, within[0] == '\0' ? "" : "/", within, name);
    if (length < 0 || (size_t)length >= sizeof path || realpath(path, whole) == NULL || strlen(whole) >= size)
        return false;
    memcpy(out, whole, strlen(whole) + 1);
    return true;
}

hsd_status hsd_agent_path(char *out, size_t size, const char *name, hsd_error *err)
{
    const char *named = getenv("HSDIFF_AGENTS");
    char folder[PATH_MAX];
    if (named != NULL && *named != '\0') {
        if (agent_is_there(out, size, named, "", name)) return HSD_OK;
        hsd_fail(err, HSD_E_NOT_FOUND, "there is no agent %s in %.200s, which HSDIFF_AGENTS names", name, named);
        hsd_error_set_hint(err, "unset HSDIFF_AGENTS, or let it name the folder of the agents");
        return HSD_E_NOT_FOUND;
    }
    own_folder(folder);
    for (size_t i = 0; i < HSD_ARRAY_LEN(beside); i++)
        if (agent_is_there(out, size, folder, beside[i], name)) return HSD_OK;
    hsd_fail(err, HSD_E_NOT_FOUND, "there is no agent %s in %s, %s or %s of %.200s", name, beside[0], beside[1],
             beside[2], folder);
    hsd_error_set_hint(err, "install it, or let HSDIFF_AGENTS name the folder of the agents");
    return HSD_E_NOT_FOUND;
}
