/*
 * A list of objects in a stream: by ascending id, each with its type and the capture where it was first seen. Some six
 * bytes an object.
 */
#ifndef HSD_SERIES_LIST_H
#define HSD_SERIES_LIST_H

#include "series/stream.h"

typedef struct hsd_listed {
    uint64_t id, bytes;
    uint32_t type; /* row of the table of types */
    uint32_t born; /* capture */
} hsd_listed;

typedef struct hsd_list { /* a zeroed one is closed */
    hsd_stream stream;
    uint64_t id;     /* of the last object put or got */
    hsd_listed head; /* reading: the next object */
    bool has_head;
} hsd_list;

static inline hsd_status hsd_list_open(hsd_list *list, hsd_temp_space *space, hsd_error *err)
{
    *list = (hsd_list){.id = 0};
    return hsd_stream_open(&list->stream, space, err);
}

static inline hsd_status hsd_list_put(hsd_list *list, const hsd_listed *object, hsd_error *err)
{
    HSD_TRY(hsd_stream_put(&list->stream, object->id - list->id, err));
    HSD_TRY(hsd_stream_put(&list->stream, object->type, err));
    HSD_TRY(hsd_stream_put(&list->stream, object->born, err));
    list->id = object->id;
    return hsd_stream_put(&list->stream, object->bytes, err);
}

/* Reads the next object into `head`; has_head is false behind the last one. */
static inline hsd_status hsd_list_next(hsd_list *list, hsd_error *err)
{
    uint64_t id, type, born;
    const hsd_status status = hsd_stream_get(&list->stream, &id, err);
    list->has_head = status == HSD_OK;
    if (status == HSD_END) return HSD_OK;
    HSD_TRY(status);
    HSD_TRY(hsd_stream_need(&list->stream, &type, err));
    HSD_TRY(hsd_stream_need(&list->stream, &born, err));
    HSD_TRY(hsd_stream_need(&list->stream, &list->head.bytes, err));
    list->id += id;
    list->head.id = list->id;
    list->head.type = (uint32_t)type;
    list->head.born = (uint32_t)born;
    return HSD_OK;
}

/* The first object is the head. */
static inline hsd_status hsd_list_rewind(hsd_list *list, hsd_error *err)
{
    list->id = 0;
    HSD_TRY(hsd_stream_rewind(&list->stream, err));
    return hsd_list_next(list, err);
}

static inline void hsd_list_close(hsd_list *list)
{
    hsd_stream_close(&list->stream);
    *list = (hsd_list){.id = 0};
}

#endif
