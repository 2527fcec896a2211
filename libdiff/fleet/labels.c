/*
 * Labels. The same labels in any order are the same bytes.
 */
#include "fleet/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static hsd_status fail_label(hsd_error *err, const char *name, const char *what)
{
    char shown[48];
    hsd_escape_terminal(shown, sizeof shown, name, strlen(name) < 40 ? strlen(name) : 40);
    hsd_fail(err, HSD_E_UNSUPPORTED, "the label %s %s", shown, what);
    hsd_error_set_hint(err, "labels are given as --label name=value");
    return HSD_E_UNSUPPORTED;
}

static hsd_status check_labels(const hsd_fleet_label *labels, size_t count, hsd_error *err)
{
    if (count > HSD_FLEET_LABELS_MOST)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "%zu labels are too many: at most %u", count, HSD_FLEET_LABELS_MOST);
    for (size_t i = 0; i < count; i++) {
        if (labels[i].name[0] == '\0') return fail_label(err, labels[i].value, "has no name");
        if (strlen(labels[i].name) > HSD_FLEET_LABEL_BYTES_MOST || strlen(labels[i].value) > HSD_FLEET_LABEL_BYTES_MOST)
            return fail_label(err, labels[i].name, "is longer than 1,000 bytes");
        for (size_t j = 0; j < i; j++)
            if (strcmp(labels[i].name, labels[j].name) == 0) return fail_label(err, labels[i].name, "is given twice");
    }
    return HSD_OK;
}

static int compare_labels(const void *left, const void *right)
{
    return strcmp((*(const hsd_fleet_label *const *)left)->name, (*(const hsd_fleet_label *const *)right)->name);
}

static hsd_status put_json(hsd_buffer *out, const char *text, hsd_error *err)
{
    const size_t size = strlen(text), needed = hsd_escape(HSD_ESCAPE_JSON, text, size, NULL, 0) + 1;
    HSD_TRY(hsd_buffer_append(out, "\"", 1, err));
    HSD_TRY(hsd_buffer_reserve(out, needed, err));
    hsd_escape(HSD_ESCAPE_JSON, text, size, (char *)out->data + out->size, needed);
    out->size += needed - 1;
    return hsd_buffer_append(out, "\"", 1, err);
}

static hsd_status put_label(hsd_buffer *out, const hsd_fleet_label *label, hsd_error *err)
{
    if (out->size > 1) HSD_TRY(hsd_buffer_append(out, ",", 1, err));
    HSD_TRY(put_json(out, label->name, err));
    HSD_TRY(hsd_buffer_append(out, ":", 1, err));
    return put_json(out, label->value, err);
}

hsd_status hsd_fleet_labels_read(hsd_fleet_labels *out, const hsd_fleet_label *labels, size_t count, hsd_error *err)
{
    const hsd_fleet_label *sorted[HSD_FLEET_LABELS_MOST];
    const hsd_text none = {"", 0};
    *out = (hsd_fleet_labels){none, none, none, none, {0}};
    HSD_TRY(check_labels(labels, count, err));
    const struct {
        const char *name;
        hsd_text *to;
    } columns[] = {{"service", &out->service}, {"version", &out->version}, {"host", &out->host}, {"pod", &out->pod}};
    for (size_t i = 0; i < count; i++)
        sorted[i] = &labels[i];
    if (count > 0) qsort(sorted, count, sizeof(hsd_fleet_label *), compare_labels);
    HSD_TRY(hsd_buffer_append(&out->others, "{", 1, err));
    for (size_t i = 0; i < count; i++) {
        hsd_text *to = NULL;
        for (size_t j = 0; j < sizeof columns / sizeof columns[0]; j++)
            if (strcmp(sorted[i]->name, columns[j].name) == 0) to = columns[j].to;
        if (to != NULL)
            *to = (hsd_text){sorted[i]->value, strlen(sorted[i]->value)};
        else
            HSD_TRY(put_label(&out->others, sorted[i], err));
    }
    HSD_TRY(hsd_buffer_append(&out->others, "}", 1, err));
    if (out->service.size > 0) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "the captures have no service");
    hsd_error_set_hint(err, "say which with --label service=NAME");
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_fleet_check_labels(const hsd_fleet_label *labels, size_t count, hsd_error *err)
{
    hsd_fleet_labels read;
    const hsd_status status = hsd_fleet_labels_read(&read, labels, count, err);
    hsd_fleet_labels_release(&read);
    return status;
}

void hsd_fleet_labels_release(hsd_fleet_labels *labels) { hsd_buffer_release(&labels->others); }
