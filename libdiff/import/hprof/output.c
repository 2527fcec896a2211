/*
 * Strings, types and labels of the capture, interned and defined at once: the writer takes them
 * before or after their first use.
 */
#include "import/hprof/output.h"

#include <string.h>

#include "import/hprof/java.h"

#define TEXT_MAX_BYTES 65536u /* what a capture takes */

/* At most TEXT_MAX_BYTES of a text, not cut inside a character. */
static hsd_bytes shortened(hsd_bytes text)
{
    if (text.size <= TEXT_MAX_BYTES) return text;
    size_t size = TEXT_MAX_BYTES;
    while (size > TEXT_MAX_BYTES - 4 && (text.data[size] & 0xc0) == 0x80)
        size--;
    return (hsd_bytes){text.data, size};
}

hsd_status hsd_hprof_put_string(hprof_output *output, hsd_bytes text, uint32_t *number, hsd_error *err)
{
    bool is_new;
    *number = 0;
    if (text.size == 0) return HSD_OK;
    text = shortened(text);
    return hsd_import_put_text(output->import, &output->strings, text, number, &is_new, err);
}

hsd_status hsd_hprof_put_type(hprof_output *output, hsd_bytes name, uint32_t *number, hsd_error *err)
{
    bool is_new;
    name = shortened(name);
    return hsd_import_put_type(output->import, &output->types, name, hsc_java_known_type(hsd_hprof_java(name)), number,
                               &is_new, err);
}

hsd_status hsd_hprof_put_label(hprof_output *output, hsc_label_kind kind, uint32_t flags, uint32_t name_string,
                               uint32_t *number, hsd_error *err)
{
    const uint64_t key = (uint64_t)name_string << 32 | (uint64_t)flags << 8 | (uint64_t)kind;
    const uint32_t before = output->labels.count;
    HSD_TRY(hsd_id_table_put(&output->labels, key, number, err));
    if (output->labels.count == before) return HSD_OK;
    HSD_WRITE(output->import, hsc_define_label(output->writer, *number, kind, flags, name_string), err);
    return HSD_OK;
}

hsd_status hsd_hprof_put_named_label(hprof_output *output, hsc_label_kind kind, uint32_t flags, const char *name,
                                     uint32_t *number, hsd_error *err)
{
    uint32_t string = 0;
    const hsd_bytes text = {(const uint8_t *)name, strlen(name)};
    HSD_TRY(hsd_hprof_put_string(output, text, &string, err));
    return hsd_hprof_put_label(output, kind, flags, string, number, err);
}

uint64_t hsd_hprof_output_memory(const hprof_output *output)
{
    return hsd_names_memory(&output->strings.names) + hsd_names_memory(&output->types) +
           hsd_id_table_memory(&output->labels);
}

void hsd_hprof_output_release(hprof_output *output)
{
    hsd_names_release(&output->strings.names);
    hsd_names_release(&output->types);
    hsd_id_table_release(&output->labels);
}
