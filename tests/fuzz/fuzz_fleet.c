/*
 * What a bucket says is in it, on any bytes: lines are names of objects, and behind a tab what is in a list of batches.
 * Names that are taken go into SQL as they are. And a line as the address of a store: what libpq takes for a password
 * is not shown.
 */
#include <stdlib.h>
#include <string.h>

#include "fleet/listing.h"
#include "fleet/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool is_so)
{
    if (!is_so) abort();
}

static void expect_plain(char *const *paths, const hsd_fleet_found *batches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(strpbrk(batches != NULL ? batches[i].path : paths[i], "'\"\\\n") == NULL);
}

static void try_address(const char *line)
{
    hsd_fleet_address address;
    char shown[HSD_STORE_NAME_CHARS];
    hsd_fleet_store_name(shown, sizeof shown, line);
    if (hsd_fleet_where_is(line) == HSD_FLEET_FOLDER) return;
    const hsd_status status = hsd_fleet_address_read(&address, line, NULL);
    expect(status == HSD_OK || status == HSD_E_UNSUPPORTED);
    if (status == HSD_OK && address.password != NULL && strlen(address.password) > 40)
        expect(strstr(shown, address.password) == NULL && strstr(address.url, address.password) == NULL);
    hsd_fleet_address_release(&address);
}

static hsd_status take_line(hsd_listing *listing, char *line)
{
    char *tab = strchr(line, '\t');
    if (tab != NULL) *tab = '\0';
    try_address(line);
    if (line[0] == '\0') return HSD_OK;
    return tab != NULL ? hsd_listing_replaces(listing, line, (hsd_text){tab + 1, strlen(tab + 1)}, NULL)
                       : hsd_listing_object(listing, line, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_fleet_list list = {.batches = NULL};
    hsd_listing listing = {
        .list = &list, .store = "s3://bucket/prefix", .date_part = size % 2 ? "date=2026-11-21" : NULL};
    hsd_status status = HSD_OK;
    char *text = malloc(size + 1), *rest = NULL;
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok_r(text, "\n", &rest); line != NULL && status == HSD_OK; line = strtok_r(NULL, "\n", &rest))
        status = take_line(&listing, line);
    if (status == HSD_OK) status = hsd_listing_finish(&listing, NULL);
    expect(status == HSD_OK || status == HSD_E_CORRUPT);
    expect_plain(NULL, list.batches, list.count);
    if (status == HSD_OK) expect_plain(list.replaced, NULL, list.replaced_count);
    hsd_listing_release(&listing);
    hsd_fleet_list_release(&list);
    free(text);
    return 0;
}
