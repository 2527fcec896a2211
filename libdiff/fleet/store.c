/*
 * Addresses of stores that are no folders.
 */
#define _GNU_SOURCE /* explicit_bzero */
#include "fleet/store.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

hsd_fleet_where hsd_fleet_where_is(const char *store)
{
    if (begins(store, "s3://")) return HSD_FLEET_BUCKET;
    return begins(store, "postgresql://") || begins(store, "postgres://") ? HSD_FLEET_DATABASE : HSD_FLEET_FOLDER;
}

/* ---- a database: the parts where libpq sees them */

typedef struct url_parts {
    const char *rest;            /* behind the two slashes */
    const char *password, *host; /* password NULL = none; host: behind the @, or the rest */
    size_t password_size;
    const char *query; /* at the question mark; or at the end */
} url_parts;

static url_parts take_apart(const char *store)
{
    url_parts parts = {.rest = strstr(store, "://") + 3};
    const char *at = parts.rest + strcspn(parts.rest, "@/");
    parts.host = parts.rest;
    if (*at == '@') {
        const char *colon = memchr(parts.rest, ':', (size_t)(at - parts.rest));
        if (colon != NULL) {
            parts.password = colon + 1;
            parts.password_size = (size_t)(at - colon) - 1;
        }
        parts.host = at + 1;
    }
    parts.query = parts.host + strcspn(parts.host, "?");
    return parts;
}

/* What libpq would take for a host or a port, and name in a message, though it is a piece of a password. */
static bool is_ambiguous(const url_parts *parts)
{
    return memchr(parts->host, '@', (size_t)(parts->query - parts->host)) != NULL;
}

char *hsd_fleet_store_name(char *out, size_t room, const char *store)
{
    const hsd_fleet_where where = hsd_fleet_where_is(store);
    if (where == HSD_FLEET_FOLDER) {
        snprintf(out, room, "%s", store);
    } else if (where == HSD_FLEET_BUCKET) {
        const size_t size = strcspn(store, "?@");
        snprintf(out, room, "%.*s", (int)size, store[size] == '@' ? "s3://..." : store);
    } else {
        const url_parts parts = take_apart(store);
        const char *before = parts.password != NULL ? parts.password - 1 : parts.host;
        if (is_ambiguous(&parts))
            snprintf(out, room, "postgresql://...");
        else
            snprintf(out, room, "%.*s%s%.*s", (int)(before - store), store, parts.password != NULL ? "@" : "",
                     (int)(parts.query - parts.host), parts.host);
    }
    return out;
}

/* ---- reading */

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static hsd_status fail_address(hsd_error *err, const char *what)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "the address of the store %s", what);
    hsd_error_set_hint(
        err,
        "it is postgresql://user@host/database; in names and passwords / is %%2F, @ is %%40, %% is %%25; a password "
        "stands better in ~/.pgpass or PGPASSWORD");
    return HSD_E_UNSUPPORTED;
}

static hsd_status decode_password(char **out, const char *text, size_t size, hsd_error *err)
{
    char *to = *out = calloc(1, size + 1);
    if (to == NULL) return hsd_fail_nomem(err, "an address");
    for (size_t i = 0; i < size; i++, to++) {
        *to = text[i];
        if (text[i] != '%') continue;
        const int high = i + 1 < size ? digit_of(text[i + 1]) : -1, low = i + 2 < size ? digit_of(text[i + 2]) : -1;
        if (high < 0 || low < 0 || high + low == 0) return fail_address(err, "has a % that two digits do not follow");
        *to = (char)(high << 4 | low);
        i += 2;
    }
    *to = '\0';
    return HSD_OK;
}

/* The query without its password, which is kept. */
static hsd_status read_query(hsd_fleet_address *address, char *to, const char *query, hsd_error *err)
{
    char between = '?';
    for (const char *at = query; *at != '\0';) {
        at++;
        const size_t size = strcspn(at, "&");
        if (begins(at, "sslpassword="))
            return fail_address(err, "has an sslpassword, which other users of this machine could read");
        if (begins(at, "password=")) {
            free(address->password);
            HSD_TRY(decode_password(&address->password, at + 9, size - 9, err));
        } else {
            *to++ = between;
            memcpy(to, at, size);
            to += size;
            between = '&';
        }
        at += size;
    }
    *to = '\0';
    return HSD_OK;
}

static hsd_status read_database(hsd_fleet_address *address, const char *store, hsd_error *err)
{
    const url_parts parts = take_apart(store);
    if (is_ambiguous(&parts)) return fail_address(err, "has an @ where none can be");
    for (const char *c = store; *c != '\0'; c++)
        if ((unsigned char)*c <= ' ' || *c == 127) return fail_address(err, "has a space or a control character");
    if (parts.password != NULL) HSD_TRY(decode_password(&address->password, parts.password, parts.password_size, err));
    const char *before = parts.password != NULL ? parts.password - 1 : parts.host;
    char *to = address->url;
    memcpy(to, store, (size_t)(before - store));
    to += before - store;
    if (parts.password != NULL) *to++ = '@';
    memcpy(to, parts.host, (size_t)(parts.query - parts.host));
    return read_query(address, to + (parts.query - parts.host), parts.query, err);
}

/* Such names go into SQL as they are, and no pattern is among them. */
static hsd_status read_bucket(hsd_fleet_address *address, const char *store, hsd_error *err)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.=/-";
    const char *name = store + sizeof "s3://" - 1;
    size_t size = strlen(name);
    while (size > 0 && name[size - 1] == '/')
        size--;
    if (strspn(name, allowed) != strlen(name) || size == 0 || name[0] == '/' || strstr(name, "//") != NULL) {
        hsd_fail(err, HSD_E_UNSUPPORTED, "is no address of a bucket");
        hsd_error_set_hint(err, "it is s3://bucket/prefix, of letters, digits and _ . = - alone");
        return HSD_E_UNSUPPORTED;
    }
    memcpy(address->url, store, sizeof "s3://" - 1 + size);
    memcpy(address->url + sizeof "s3://" - 1 + size, "/", 2);
    return HSD_OK;
}

hsd_status hsd_fleet_address_read(hsd_fleet_address *out, const char *store, hsd_error *err)
{
    char name[HSD_STORE_NAME_CHARS];
    *out = (hsd_fleet_address){.url = malloc(strlen(store) + 2)};
    if (out->url == NULL) return hsd_fail_nomem(err, "an address");
    out->url[0] = '\0';
    const hsd_status status =
        hsd_fleet_where_is(store) == HSD_FLEET_BUCKET ? read_bucket(out, store, err) : read_database(out, store, err);
    if (status != HSD_OK) hsd_error_set_file(err, hsd_fleet_store_name(name, sizeof name, store));
    return status;
}

void hsd_fleet_address_release(hsd_fleet_address *address)
{
    if (address->password != NULL) explicit_bzero(address->password, strlen(address->password));
    free(address->url);
    free(address->password);
    *address = (hsd_fleet_address){.url = NULL};
}
