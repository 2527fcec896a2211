/*
 * A Cleaner that can never run. What is registered with a java.lang.ref.Cleaner waits in a list until its referent is
 * gone. That list counts as weak, and the cleanable is the referent's (known.h): an action lives as long as what it
 * cleans. Not so where the action refers to what it cleans, as one written as a lambda of its methods does:
 *
 *      CLEANER.register(this, () -> release(handle))        handle is this.handle
 *
 *      list ··weak··► cleanable ──action──► lambda ──arg$1──► image ··referent of the cleanable
 *
 * The list holds the action, the action its image, and neither is ever freed. Such a cleanable is a root: a secondary
 * one, for what the program still uses is held by what it is used by.
 */
#include "jvm.h"

enum { SLOTS = 1 << 20, MOST_CLEANABLES = SLOTS / 2 };

bool jvm_open_cleaners(jvm_capture *capture)
{
    capture->cleaners.slots = hsa_arena_take(&capture->arena, SLOTS * sizeof *capture->cleaners.slots);
    return capture->cleaners.slots != NULL;
}

/* The slot of an action, or the free one where it would be. */
static jvm_cleanable *slot_of_action(const jvm_cleaners *cleaners, jlong action)
{
    uint32_t at = (uint32_t)((uint64_t)action * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (SLOTS - 1);
    while (cleaners->slots[at].action != 0 && cleaners->slots[at].action != action)
        at = (at + 1) & (SLOTS - 1);
    return &cleaners->slots[at];
}

/* References of one object are told one behind the other. An action that several have is none of theirs alone: it
 * cannot refer to each of them. */
static void note(jvm_capture *capture, const jvm_cleanable *told)
{
    jvm_cleaners *cleaners = &capture->cleaners;
    if (cleaners->current.cleanable != told->cleanable) cleaners->current = (jvm_cleanable){0};
    cleaners->current.cleanable = told->cleanable;
    if (told->referent != 0) cleaners->current.referent = told->referent;
    if (told->action != 0) cleaners->current.action = told->action;
    if (cleaners->current.referent == 0 || cleaners->current.action == 0 || cleaners->count == MOST_CLEANABLES) return;
    jvm_cleanable *slot = slot_of_action(cleaners, cleaners->current.action);
    if (slot->action != 0) return;
    *slot = cleaners->current;
    cleaners->count++;
}

void jvm_note_waited_for(jvm_capture *capture, jlong cleanable, jlong referent)
{
    note(capture, &(jvm_cleanable){.cleanable = cleanable, .referent = referent});
}

void jvm_note_action(jvm_capture *capture, jlong cleanable, jlong action)
{
    note(capture, &(jvm_cleanable){.cleanable = cleanable, .action = action});
}

bool jvm_look_at_action(jvm_capture *capture, jlong action, jlong target)
{
    static const char label[] = "(registered with a Cleaner)";
    jvm_cleanable *of = slot_of_action(&capture->cleaners, action);
    if (of->action == 0 || of->referent != target) return true;
    of->referent = 0; /* once */
    const hsc_root_record root = {.kind = HSC_ROOT_RUNTIME,
                                  .flags = HSC_ROOT_SECONDARY,
                                  .label = jvm_string(&capture->output, label, sizeof label - 1),
                                  .target = (uint64_t)of->cleanable};
    return hsc_root(capture->writer, &root) == HSC_OK;
}
