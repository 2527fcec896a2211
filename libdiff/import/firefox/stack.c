/*
 * Allocation stacks: a frame with its parent in it, and so on to the outermost, or to one that was told before, which
 * is a number. A frame's texts come before those of its parent, whose message stands in front of them: so a stack is
 * read from memory, frame by frame, without recursion.
 */
#include "import/firefox/firefox.h"

typedef struct frame {
    uint64_t id, line, column, parent_at, parent_end; /* parent_end 0: none */
    uint32_t source, function;
} frame;

static hsd_status fail_firefox_stack(const hsd_proto_field *field, const char *what, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, field->offset, "not a valid Firefox snapshot: %s", what);
}

/* What is in a frame, without its parent. */
static hsd_status read_data(firefox *fx, hsd_proto_message *message, frame *out, hsd_error *err)
{
    hsd_proto_field field;
    hsd_status status;
    while ((status = hsd_proto_next(message, &field, err)) == HSD_OK)
        switch (field.number) {
        case 1: out->id = field.value; break;
        case 2:
            if (field.wire != HSD_PROTO_BYTES)
                return fail_firefox_stack(&field, "a frame whose parent is a number", err);
            out->parent_at = hsd_source_offset(message->source);
            out->parent_end = out->parent_at + field.size;
            break;
        case 3: out->line = field.value; break;
        case 4: out->column = field.value; break;
        case 5:
        case 6: HSD_TRY(hsd_firefox_read_wide_name(fx, message, &field, &out->source, err)); break;
        case 7:
        case 8: HSD_TRY(hsd_firefox_read_wide_name(fx, message, &field, &out->function, err)); break;
        default: break;
        }
    return status == HSD_END ? HSD_OK : status;
}

/* A frame message: the number of one that is known, or its content. HSD_END: there is neither. */
static hsd_status read_frame(firefox *fx, hsd_proto_message *message, frame *out, bool *is_known, hsd_error *err)
{
    hsd_proto_field field;
    hsd_status status;
    *out = (frame){.source = FIREFOX_NONE, .function = FIREFOX_NONE};
    *is_known = false;
    while ((status = hsd_proto_next(message, &field, err)) == HSD_OK) {
        if (field.number == 2 && field.wire == HSD_PROTO_VARINT) {
            *is_known = true;
            out->id = field.value;
            return HSD_OK;
        }
        if (field.number != 1) continue;
        hsd_proto_message data;
        HSD_TRY(hsd_proto_enter(message, &field, &data, err));
        return read_data(fx, &data, out, err);
    }
    return status;
}

static uint32_t small(uint64_t number) { return number < UINT32_MAX ? (uint32_t)number : 0; }

static hsd_status define_firefox_stack(firefox *fx, uint32_t site, uint32_t parent, const frame *of, hsd_error *err)
{
    const uint32_t function = hsd_firefox_string(fx, of->function), source = hsd_firefox_string(fx, of->source);
    if (fx->import->options->summary_only) return HSD_OK;
    HSD_WRITE(fx->import,
              hsc_define_site(fx->import->writer, site, parent, function, source, small(of->line), small(of->column)),
              err);
    return HSD_OK;
}

static hsd_status read_frames(firefox *fx, hsd_source *source, uint32_t *first, hsd_error *err)
{
    hsd_proto_message message = hsd_proto_all(source);
    frame inner = {0};
    uint32_t inner_site = 0;
    for (;;) {
        frame here;
        bool is_known;
        uint32_t site = 0;
        const hsd_status status = read_frame(fx, &message, &here, &is_known, err);
        if (status < 0) return status;
        const uint32_t known = fx->sites.count;
        if (status == HSD_OK) HSD_TRY(hsd_id_table_put(&fx->sites, here.id, &site, err));
        const bool is_new = site > known;
        if (is_known && is_new)
            return hsd_fail(err, HSD_E_CORRUPT, "not a valid Firefox snapshot: a frame that was not told");
        if (inner_site != 0)
            HSD_TRY(define_firefox_stack(fx, inner_site, site, &inner, err));
        else
            *first = site;
        /* of one that is told again all is known, and its parents are */
        if (status == HSD_END || is_known || !is_new) return HSD_OK;
        inner = here;
        inner_site = site;
        HSD_TRY(hsd_firefox_check_memory(fx, err));
        if (here.parent_end == 0) return define_firefox_stack(fx, site, 0, &here, err);
        HSD_TRY(hsd_source_seek(source, here.parent_at, err));
        message = (hsd_proto_message){.source = source, .end = here.parent_end};
    }
}

hsd_status hsd_firefox_read_stack(firefox *fx, hsd_proto_message *message, const hsd_proto_field *field, uint32_t *site,
                                  hsd_error *err)
{
    hsd_source source;
    if (field->wire != HSD_PROTO_BYTES) return fail_firefox_stack(field, "an allocation stack that is a number", err);
    if (field->size > FIREFOX_STACK_BYTES)
        return fail_firefox_stack(field, "an allocation stack of more than a megabyte", err);
    hsd_buffer_clear(&fx->stack);
    HSD_TRY(hsd_buffer_reserve(&fx->stack, (size_t)field->size, err));
    HSD_TRY(hsd_source_copy(message->source, fx->stack.data, (size_t)field->size, err));
    fx->stack.size = (size_t)field->size;
    HSD_TRY(hsd_source_open_memory(&source, (hsd_bytes){fx->stack.data, fx->stack.size}, fx->source->name, err));
    const hsd_status status = read_frames(fx, &source, site, err);
    hsd_source_close(&source);
    if (status == HSD_E_TRUNCATED)
        return fail_firefox_stack(field, "an allocation stack that ends within a frame", err);
    return status;
}
