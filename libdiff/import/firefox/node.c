/*
 * One node, field by field as they stand: the order of the texts in it is that of the numbers they get.
 */
#include "import/firefox/firefox.h"

static hsd_status read_field(firefox *fx, hsd_proto_message *message, const hsd_proto_field *field, hsd_error *err)
{
    firefox_node *node = &fx->node;
    switch (field->number) {
    case 1: node->id = field->value; break;
    case 2:
    case 3:
        HSD_TRY(hsd_firefox_read_wide_name(fx, message, field, &node->type, err));
        node->is_object = node->type == fx->js_object;
        break;
    case 4: node->size = field->value; break;
    case 5: return hsd_firefox_read_edge(fx, message, field, err);
    case 6: return hsd_firefox_read_stack(fx, message, field, &node->site, err);
    case 7:
    case 8: return hsd_firefox_read_narrow(fx, message, field, &node->class_name, err);
    case 9: node->coarse = field->value; break;
    case 10:
    case 11: return hsd_firefox_read_narrow(fx, message, field, &node->script, err);
    case 12:
    case 13: return hsd_firefox_read_wide_name(fx, message, field, &node->description, err);
    default: break;
    }
    return HSD_OK;
}

hsd_status hsd_firefox_read_node(firefox *fx, uint64_t size, hsd_error *err)
{
    const uint64_t offset = hsd_source_offset(fx->source);
    hsd_proto_message message = {.source = fx->source, .end = offset + size};
    hsd_proto_field field;
    hsd_status status;
    fx->node = (firefox_node){
        .type = FIREFOX_NONE, .class_name = FIREFOX_NONE, .script = FIREFOX_NONE, .description = FIREFOX_NONE};
    fx->edge_count = 0;
    fx->names.in_roots = fx->nodes == 0;
    while ((status = hsd_proto_next(&message, &field, err)) == HSD_OK)
        HSD_TRY(read_field(fx, &message, &field, err));
    if (status != HSD_END) return status;
    const bool is_list_of_roots = fx->nodes++ == 0;
    return is_list_of_roots ? HSD_OK : hsd_firefox_write_node(fx, err);
}
