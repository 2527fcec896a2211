/*
 * Which JVM wrote the dump, and how it lays out objects. A HotSpot dump does not say, and there are
 * three unknowns: the width of the header (8 with compact headers, 12 with compressed class pointers,
 * 16), the width of a reference in the heap (4 compressed, else 8), and whether fields of a class may
 * fill gaps that its superclass left (JDK 15 and later; before that the fields of each class begin
 * behind those of its superclass, rounded up to the width of a reference).
 *
 * The dump shows them in the distances between neighbours (hprof_scan.c): the header by arrays of
 * primitives, references by object arrays, the rest by counting for which rule more classes have
 * their computed size as the smallest distance. Without any evidence: compressed, unless ids lie
 * further apart than compressed references can reach.
 */
#include "import/hprof.h"

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
    return traces->most > traces->least &&
           (traces->most - traces->least) / alignment >= NARROW_REACH;
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

/* Classes whose smallest distance is what the model computes. */
static uint64_t classes_that_fit(const hprof *self, const hprof_model *model,
                                 const hprof_model *other)
{
    uint64_t fit = 0;
    for (uint32_t i = 1; i <= self->classes.table.count; i++) {
        const hprof_tally *tally = &self->classes.tallies[i];
        if (tally->objects == 0 || !self->classes.items[i].has_dump) continue;
        const uint64_t size = hsd_hprof_computed_size(self, model, &self->classes.items[i]);
        const uint64_t rival = hsd_hprof_computed_size(self, other, &self->classes.items[i]);
        if (size != rival && size == tally->nearest) fit++;
    }
    return fit;
}

/* The fields of java.lang.String tell JDKs apart: `offset` up to JDK 6, `hashIsZero` from JDK 13 on. */
static bool string_declares(const hprof *self, const char *field)
{
    const hprof_class *string =
        hsd_hprof_class_named(&self->classes, &self->names, "java.lang.String");
    return string != NULL && hsd_hprof_declares(&self->classes, &self->names, string, field);
}

static bool chooses_filling(const hprof *self, const hprof_model *model)
{
    hprof_model filling = *model, appending = *model;
    filling.fills_gaps = true;
    appending.fills_gaps = false;
    const uint64_t with = classes_that_fit(self, &filling, &appending);
    const uint64_t without = classes_that_fit(self, &appending, &filling);
    return with == without ? string_declares(self, "hashIsZero") : with > without;
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

void hsd_hprof_choose_model(hprof *self)
{
    self->flavour = flavour_of(self);
    if (self->flavour == HPROF_ANDROID) {
        self->model = (hprof_model){
            .header = 8, .array_header = 12, .reference = 4, .alignment = 1, .is_given = true};
    } else if (self->flavour ==
               HPROF_AGENT) { /* ids are tags and say nothing; most JVMs were these */
        self->model =
            (hprof_model){.header = 12, .array_header = 16, .reference = 4, .alignment = 8};
    } else {
        self->model = model_of_hotspot(self);
        self->model.fills_gaps = chooses_filling(self, &self->model);
    }
    self->has_bare_classes = string_declares(self, "offset");
    const hprof_class *classes =
        hsd_hprof_class_named(&self->classes, &self->names, "java.lang.Class");
    self->class_size = classes == NULL ? 0 : hsd_hprof_instance_size(self, classes);
}
