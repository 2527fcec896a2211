/*
 * A whole capture in memory, read with the library, for tests that ask about single objects, references
 * and roots by name. Not for large captures.
 */
#ifndef HSD_TESTS_CAPTURE_VIEW_H
#define HSD_TESTS_CAPTURE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/capture.h>

typedef struct view_reference {
    uint64_t target, index;
    uint32_t label;
} view_reference;

typedef struct view_object {
    uint64_t id, size_bytes, native_bytes, elements, identity, content;
    uint32_t type, name, flags, category, site;
    char *value;         /* owned; NULL = none */
    size_t first, count; /* references */
} view_object;

typedef struct view_label {
    uint32_t kind, flags, name;
} view_label;

typedef struct capture_view {
    hsd_capture *capture;
    const hsd_capture_info *info;
    view_object *objects;
    view_reference *references;
    hsd_edge *edges;
    hsd_root *roots;
    hsd_type_total *totals; /* without their histograms */
    hsd_loss *losses;
    hsd_site_total *site_totals;
    char **strings, **types; /* by number; NULL = not defined */
    uint32_t *type_flags;
    view_label *labels;
    hsd_site *sites; /* by number */
    hsd_thread *threads;
    hsd_frame *frames;
    size_t object_count, reference_count, root_count, total_count, loss_count, thread_count, frame_count,
        site_total_count, edge_count;
    uint32_t string_limit, type_limit, label_limit, site_limit;
} capture_view;

/* Reads the capture in `path`, or in an open file (which is moved in). False, with the reason on
 * standard error, when it cannot be read to its end. */
bool view_open(capture_view *view, const char *path);
bool view_open_fd(capture_view *view, int fd);
void view_close(capture_view *view);

/* The object with this id; NULL = there is none. */
const view_object *view_find(const capture_view *view, uint64_t id);

/* Text of a string number, name of a type number: "" when it is 0 or not defined. */
const char *view_string(const capture_view *view, uint32_t string);
const char *view_type(const capture_view *view, uint32_t type);

/* The reference of an object with this label name (and index, for elements: name NULL); NULL = none. */
const view_reference *view_reference_of(const capture_view *view, const view_object *object, const char *label,
                                        uint64_t index);

/* Kind and flags of a reference's label. */
view_label view_label_of(const capture_view *view, const view_reference *reference);

/* Number of edges with a label of this name that stand by themselves. */
size_t view_count_edges(const capture_view *view, const char *label, uint64_t source, uint64_t target);

/* Number of roots of this kind with this label on this target. */
size_t view_count_roots(const capture_view *view, uint32_t kind, const char *label, uint64_t target);

/* Objects and bytes in the totals of all types of this name. */
void view_total(const capture_view *view, const char *type, uint64_t *objects, uint64_t *bytes);

/* Sum of the losses of that name. */
uint64_t view_loss(const capture_view *view, const char *what);

#endif
