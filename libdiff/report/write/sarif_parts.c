/*
 * URIs and fingerprints for SARIF.
 */
#include "report/write/sarif_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- URIs ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/* "file://", "https://": letters in front of "://". */
static bool is_url(hsd_text path)
{
    size_t i = 0;
    while (i < path.size && is_letter(path.data[i]))
        i++;
    return i > 1 && path.size - i >= 3 && memcmp(path.data + i, "://", 3) == 0;
}

static bool is_windows(hsd_text path)
{
    return path.size >= 3 && is_letter(path.data[0]) && path.data[1] == ':' &&
           (path.data[2] == '\\' || path.data[2] == '/');
}

/* Characters that stand as they are; of a URL also what parts it, and percent signs that encode something already. */
static bool is_plain(hsd_text path, size_t at, bool is_of_url)
{
    const char c = path.data[at];
    if (is_letter(c) || is_digit(c)) return true;
    if (c == '%') return is_of_url && path.size - at > 2 && is_hex(path.data[at + 1]) && is_hex(path.data[at + 2]);
    if (c == 0) return false;
    return strchr(is_of_url ? "-._~/:@?=&+,;!$()*" : "-._~/@+,!$()", c) != NULL;
}

static hsd_status append_uri(hsd_buffer *uri, hsd_text path, hsd_error *err)
{
    const bool has_drive = is_windows(path), url = !has_drive && is_url(path);
    const char *scheme = has_drive ? "file:///" : path.size > 0 && path.data[0] == '/' ? "file://" : "";
    HSD_TRY(hsd_buffer_append(uri, scheme, strlen(scheme), err));
    for (size_t i = 0; i < path.size; i++) {
        const bool is_drive_sign = has_drive && i == 1;
        char encoded[4];
        snprintf(encoded, sizeof encoded, "%%%02X", (unsigned)(unsigned char)path.data[i]);
        if (has_drive && path.data[i] == '\\')
            HSD_TRY(hsd_buffer_append(uri, "/", 1, err));
        else if (is_plain(path, i, url) || is_drive_sign)
            HSD_TRY(hsd_buffer_append(uri, path.data + i, 1, err));
        else
            HSD_TRY(hsd_buffer_append(uri, encoded, 3, err));
    }
    return HSD_OK;
}

void hsd_sarif_uri(hsd_json_writer *json, const char *key, hsd_text path)
{
    hsd_buffer uri = {0};
    hsd_out *out = json->out;
    if (out->status == HSD_OK) out->status = append_uri(&uri, path, out->err);
    hsd_json_put_text(json, key, (hsd_text){(const char *)uri.data, uri.size});
    hsd_buffer_release(&uri);
}

/* ---- fingerprints ---- */

static uint64_t add_byte(uint64_t hash, unsigned char byte) { return (hash ^ byte) * UINT64_C(0x100000001b3); }

/* With its length in front, so that no two lists of texts run together. */
static uint64_t add_sarif_part_writer(uint64_t hash, hsd_text text)
{
    for (unsigned shift = 0; shift < 64; shift += 8)
        hash = add_byte(hash, (unsigned char)((uint64_t)text.size >> shift));
    for (size_t i = 0; i < text.size; i++)
        hash = add_byte(hash, (unsigned char)text.data[i]);
    return hash;
}

char *hsd_sarif_fingerprint(char out[HSD_FINGERPRINT_CHARS], const hsd_rule *rule, const hsd_finding *finding)
{
    uint64_t hash = add_sarif_part_writer(UINT64_C(0xcbf29ce484222325), rule->name);
    hash = add_byte(hash, (unsigned char)rule->subject);
    if (finding) {
        hash = add_sarif_part_writer(add_sarif_part_writer(hash, finding->name), finding->root);
        for (size_t i = 0; i < finding->path_count; i++)
            hash = add_sarif_part_writer(add_sarif_part_writer(hash, finding->path[i].edge), finding->path[i].type);
    }
    snprintf(out, HSD_FINGERPRINT_CHARS, "%016" PRIx64, hash);
    return out;
}
