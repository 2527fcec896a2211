/*
 * Names of objects: service=…/date=…/batch=…/file. A batch without its captures is not finished, or never will be, and
 * does not count.
 */
#include "fleet/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "fleet/store.h"

static const char *const files[] = {"captures" HSD_FLEET_SUFFIX, "rows" HSD_FLEET_SUFFIX, "names" HSD_FLEET_SUFFIX,
                                    "states" HSD_FLEET_SUFFIX, HSD_FLEET_REPLACES};
#define FILES (sizeof files / sizeof files[0])

static hsd_status fail_object(const hsd_listing *l, const char *name, const char *what, hsd_error *err)
{
    char store[HSD_STORE_NAME_CHARS], file[HSD_STORE_NAME_CHARS + 300];
    snprintf(file, sizeof file, "%s/%.250s", hsd_fleet_store_name(store, sizeof store, l->store), name);
    hsd_fail(err, HSD_E_CORRUPT, "%s", what);
    hsd_error_set_file(err, file);
    hsd_error_set_hint(err, "move it out of the store, and ask again");
    return HSD_E_CORRUPT;
}

static hsd_status take_batch(hsd_listing *l, hsd_error *err)
{
    hsd_fleet_list *list = l->list;
    char *path = l->path;
    l->path = NULL;
    if (path == NULL || (l->seen & 1) == 0) {
        free(path);
        return HSD_OK;
    }
    if ((l->seen & 7) != 7) {
        const hsd_status status = fail_object(l, path, "has captures, and no rows or no names", err);
        free(path);
        return status;
    }
    const hsd_status status =
        HSD_ARRAY_GROW(list->batches, list->capacity, list->count + 1, 64, "a list of batches", err);
    if (status != HSD_OK) {
        free(path);
        return status;
    }
    list->batches[list->count++] = (hsd_fleet_found){.path = path, .has_states = (l->seen & 8) != 0};
    return HSD_OK;
}

/* service=…/date=…/batch=…: bytes of them; 0 = it is no such name. */
static size_t batch_size(const char *name)
{
    static const char *const prefixes[] = {"service=", "date=", HSD_FLEET_BATCH_PREFIX};
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.%-";
    const char *at = name;
    for (unsigned i = 0; i < 3; i++) {
        const size_t size = strlen(prefixes[i]);
        if (strncmp(at, prefixes[i], size) != 0) return 0;
        at += size + strspn(at + size, allowed);
        if (*at++ != '/') return 0;
    }
    return (size_t)(at - name) - 1;
}

static bool is_early(const hsd_listing *l, const char *name)
{
    const char *slash = strchr(name, '/');
    return l->date_part != NULL && strncmp(slash + 1, l->date_part, strlen(l->date_part)) < 0;
}

hsd_status hsd_listing_object(hsd_listing *l, const char *name, hsd_error *err)
{
    const size_t size = batch_size(name);
    size_t file = 0;
    if (name[0] == '.' || strcmp(name, HSD_FLEET_MARK) == 0 || name[strlen(name) - 1] == '/') return HSD_OK;
    while (size > 0 && file < FILES && strcmp(name + size + 1, files[file]) != 0)
        file++;
    if (size == 0 || file == FILES) return fail_object(l, name, "is no part of a fleet store", err);
    if (is_early(l, name)) return HSD_OK;
    if (l->path == NULL || strncmp(l->path, name, size) != 0 || l->path[size] != '\0') {
        HSD_TRY(take_batch(l, err));
        l->seen = 0;
        l->path = strndup(name, size);
        if (l->path == NULL) return hsd_fail_nomem(err, "a list of batches");
    }
    l->seen |= 1u << file;
    return HSD_OK;
}

hsd_status hsd_listing_replaces(hsd_listing *l, const char *name, hsd_text content, hsd_error *err)
{
    const size_t size = batch_size(name);
    char path[512];
    if (size == 0 || size >= sizeof path) return fail_object(l, name, "is damaged", err);
    if (is_early(l, name)) return HSD_OK;
    for (size_t at = 0; at < content.size;) {
        const char *line = content.data + at, *end = memchr(line, '\n', content.size - at);
        const size_t length = end != NULL ? (size_t)(end - line) : content.size - at;
        at += length + 1;
        if (length == 0) continue;
        const char *slash = name + size;
        while (slash[-1] != '/')
            slash--;
        const int needed = snprintf(path, sizeof path, "%.*s%.*s/", (int)(slash - name), name, (int)length, line);
        if (needed < 0 || (size_t)needed >= sizeof path || batch_size(path) + 1 != (size_t)needed)
            return fail_object(l, name, "is damaged", err);
        path[needed - 1] = '\0';
        HSD_TRY(hsd_fleet_list_replaced(l->list, path, err));
    }
    return HSD_OK;
}

hsd_status hsd_listing_finish(hsd_listing *l, hsd_error *err)
{
    HSD_TRY(take_batch(l, err));
    hsd_fleet_list_settle(l->list);
    return HSD_OK;
}

void hsd_listing_release(hsd_listing *l)
{
    free(l->path);
    l->path = NULL;
}
