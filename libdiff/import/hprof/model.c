/*
 * Which JVM wrote the dump, and how it lays out objects. A HotSpot dump does not say, and there are
 * three unknowns: the width of the header (8 with compact headers, 12 with compressed class pointers,
 * 16), the width of a reference in the heap (4 compressed, else 8), and whether fields of a class may
 * fill gaps that its superclass left (JDK 15 and later; before that the fields of each class begin
 * behind those of its superclass, rounded up to the width of a reference).
 *
 * The dump shows them in the distances between neighbours (scan.c): the header by arrays of
 * primitives, references by object arrays, the rest by counting for which rule more classes have
 * their computed size as the smallest distance. Without any evidence: compressed, unless ids lie
 * further apart than compressed references can reach.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "import/hprof/hprof.h"

#define NARROW_REACH   (UINT64_C(1) << 32) /* in units of the alignment */
#define ENOUGH_OBJECTS UINT64_C(256)       /* to tell an alignment by */

static unsigned best_header(const hprof_votes *votes)
{
    static const unsigned headers[4] = HPROF_ARRAY_HEADERS;
    unsigned best = 0;
    for (unsigned i = 1; i < 4; i++)
        if (votes->headers[i] > votes->headers[best]) best = i;
    return headers[best];
}

static const hprof_votes *votes_for(const hprof_traces *traces, unsigned alignment)
{
    return &traces->votes[alignment == 8 ? 0 : alignment == 16 ? 1 : 2];
}

/* True if references of 4 bytes cannot reach all objects. */
static bool is_too_wide(const hprof_traces *traces, unsigned alignment)
{
    return traces->most > traces->least && (traces->most - traces->least) / alignment >= NARROW_REACH;
}

/* Most JVMs align objects to 8 bytes; a few objects may be aligned to more by chance. */
static unsigned alignment_of(const hprof *self)
{
    const uint64_t ids_or = self->traces.ids_or;
    unsigned alignment = 8;
    if (self->traces.objects < ENOUGH_OBJECTS || ids_or == 0) return alignment;
    while (alignment < HPROF_REMAINDERS && (ids_or & (alignment * 2 - 1)) == 0)
        alignment *= 2;
    return alignment;
}

/* Classes whose smallest distance is what these layouts say, and not what the others do. */
static uint64_t classes_that_fit(const hprof *self, const hprof_model *model, const hprof_layout *layouts,
                                 const hprof_layout *others)
{
    uint64_t fit = 0;
    for (uint32_t i = 1; i <= self->classes.table.count; i++) {
        const hprof_tally *tally = &self->classes.tallies[i];
        if (tally->objects == 0 || !self->classes.items[i].has_dump) continue;
        const uint64_t size = hsd_hprof_laid_out_size(model, &layouts[i]);
        const uint64_t rival = hsd_hprof_laid_out_size(model, &others[i]);
        if (size != rival && size == tally->nearest) fit++;
    }
    return fit;
}

/* The fields of java.lang.String tell JDKs apart: `offset` up to JDK 6, `hashIsZero` from JDK 13 on. */
static bool string_declares(const hprof *self, const char *field)
{
    const hprof_class *string = hsd_hprof_class_named(&self->classes, &self->names, "java.lang.String");
    return string != NULL && hsd_hprof_declares(&self->classes, &self->names, string, field);
}

static hsd_status new_layouts(const hprof *self, hprof_layout **out, hsd_error *err)
{
    const uint64_t count = (uint64_t)self->classes.table.count + 1;
    HSD_TRY(hsd_hprof_check_memory(self, 2 * count * sizeof **out, err));
    *out = calloc((size_t)count, sizeof **out);
    return *out != NULL ? HSD_OK : hsd_fail_nomem(err, "the layout of classes");
}

/* Lays out all classes both ways and keeps the one that more of them prove. */
static hsd_status choose_filling(hprof *self, hsd_error *err)
{
    hprof_layout *filled = NULL, *left = NULL;
    hprof_model filling = self->model, leaving = self->model;
    filling.fills_gaps = true;
    leaving.fills_gaps = false;
    hsd_status status = new_layouts(self, &filled, err);
    if (status == HSD_OK) status = new_layouts(self, &left, err);
    if (status == HSD_OK) {
        hsd_hprof_lay_out(self, &filling, filled);
        hsd_hprof_lay_out(self, &leaving, left);
        const uint64_t with = classes_that_fit(self, &filling, filled, left);
        const uint64_t without = classes_that_fit(self, &leaving, left, filled);
        self->model.fills_gaps = with == without ? string_declares(self, "hashIsZero") : with > without;
        self->layouts = self->model.fills_gaps ? filled : left;
    }
    if (self->layouts != filled) free(filled);
    if (self->layouts != left) free(left);
    return status;
}

/* Only records that nobody else writes prove that ids are the agent's tags: names with dots alone
 * may be another tool's, whose ids are addresses. */
static hprof_flavour flavour_of(const hprof *self)
{
    if (self->reader.version == 3) return HPROF_ANDROID;
    return self->is_agent ? HPROF_AGENT : HPROF_HOTSPOT;
}

static hprof_model model_of_hotspot(const hprof *self)
{
    const hprof_traces *traces = &self->traces;
    hprof_model model = {.header = 12, .array_header = 16, .reference = 4, .alignment = 8};
    if (self->reader.id_bytes == 4) { /* a 32-bit JVM */
        model.header = 8;
        model.array_header = 12;
        return model;
    }
    model.alignment = alignment_of(self);
    const hprof_votes *votes = votes_for(traces, model.alignment);
    model.array_header = best_header(votes);
    model.header = model.array_header == 12 ? 8 : model.array_header == 16 ? 12 : 16;
    const bool is_wide = is_too_wide(traces, model.alignment) || votes->wide > votes->narrow ||
                         (model.header == 16 && votes->narrow == 0);
    model.reference = is_wide ? 8 : 4;
    return model;
}

hsd_status hsd_hprof_choose_model(hprof *self, hsd_error *err)
{
    self->flavour = flavour_of(self);
    if (self->flavour == HPROF_ANDROID) {
        self->model = (hprof_model){.header = 8, .array_header = 12, .reference = 4, .alignment = 1, .is_given = true};
    } else if (self->flavour == HPROF_AGENT) { /* tags say nothing; most JVMs were these */
        self->model = (hprof_model){.header = 12, .array_header = 16, .reference = 4, .alignment = 8};
        HSD_TRY(new_layouts(self, &self->layouts, err));
        hsd_hprof_lay_out(self, &self->model, self->layouts);
    } else {
        self->model = model_of_hotspot(self);
        HSD_TRY(choose_filling(self, err));
    }
    self->has_bare_classes = string_declares(self, "offset");
    const hprof_class *classes = hsd_hprof_class_named(&self->classes, &self->names, "java.lang.Class");
    self->class_size = classes == NULL ? 0 : hsd_hprof_instance_size(self, classes);
    return HSD_OK;
}
