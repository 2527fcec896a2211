/*
 * Calls: registers are set as a caller would, and instructions are interpreted until the function returns. What it
 * hands to its visitor is told; where it makes an int of Python's, that int's value is what it answers. See machine.h.
 */
#include "import/pycore/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum { MOST_TEXT = 4096, RESERVED = 64, MOST_DEPTH = 8 };

static hsd_status make(pycore *c, hsd_error *err)
{
    pymachine *m = calloc(1, sizeof *m);
    pyline *lines = calloc(MACHINE_LINES, sizeof *lines);
    if (m == NULL || lines == NULL) {
        free(m);
        free(lines);
        return hsd_fail_nomem(err, "an interpreter of code");
    }
    m->core = c;
    m->lines = lines;
    c->machine = m;
    return hsd_pylinks_read(c, err);
}

static pymachine *machine_of(pycore *c)
{
    hsd_error err;
    if (!c->can_interpret || c->has_failed) return NULL;
    if (c->machine != NULL) return c->machine;
    hsd_error_init(&err);
    if (make(c, &err) == HSD_OK) return c->machine;
    (void)hsd_pycore_failed(c, &err);
    return NULL;
}

void hsd_pymachine_close(pycore *c)
{
    if (c->machine != NULL) free(c->machine->lines);
    free(c->machine);
    hsd_pylinks_close(c);
}

static bool begin_machine(pymachine *m, uint64_t function, uint64_t first, uint64_t second)
{
    memset(m->registers, 0, sizeof m->registers);
    m->registers[RSP] =
        MACHINE_STACK_AT + MACHINE_STACK - RESERVED; /* and so aligned as the calling convention has it */
    m->registers[RDI] = first;
    m->registers[RSI] = second;
    m->pc = function;
    m->has_called = true;
    return hsd_pyaccess_push(m, MACHINE_END_AT);
}

static bool give_back(pymachine *m, uint64_t result)
{
    m->registers[RAX] = result;
    return hsd_pyaccess_pop(m, &m->pc);
}

/* ---- functions that are answered ---- */

static bool text_at(pymachine *m, uint64_t address, char out[MOST_TEXT])
{
    return address != 0 && hsd_pymemory_text(&m->core->memory, address, out, MOST_TEXT) < MOST_TEXT - 1;
}

static bool answer_size(pymachine *m)
{
    const uint64_t object = m->registers[RDI];
    pytype *type = hsd_pyplans_of_object(m->core, object);
    /* one that would have to be interpreted in its turn is not asked */
    if (type == NULL || type->size == SIZE_CALL) return false;
    return give_back(m, hsd_pysizes_of(m->core, type, object).bytes);
}

static bool answer_text(pymachine *m, pyanswer answer)
{
    char first[MOST_TEXT], second[MOST_TEXT];
    if (!text_at(m, m->registers[RDI], first)) return false;
    if (answer == ANSWER_LENGTH) return give_back(m, strlen(first));
    if (!text_at(m, m->registers[RSI], second)) return false;
    const int order = strcmp(first, second);
    return give_back(m, order < 0 ? hsd_pymask(4) : (uint64_t)order);
}

/* *is_over: the call has its result. */
static bool called(pymachine *m, bool *is_over)
{
    pylink link;
    for (int depth = 0; depth < MOST_DEPTH && hsd_pylinks_find(m->core, m->pc, &link); depth++) {
        switch (link.answer) {
        case ANSWER_INT:
            m->registers[RAX] = m->registers[RDI];
            *is_over = true;
            return true;
        case ANSWER_SIZE: return answer_size(m);
        case ANSWER_LENGTH:
        case ANSWER_COMPARISON: return answer_text(m, link.answer);
        case ANSWER_NONE: m->pc = link.target; break;
        }
    }
    return true;
}

/* ---- calls ---- */

static bool run_machine(pymachine *m, pyvisitor visit, void *context)
{
    pycore *c = m->core;
    bool is_over = false;
    const uint64_t end = c->steps + c->most_steps_of_call;
    while (m->pc != MACHINE_END_AT) {
        if (m->has_called) {
            m->has_called = false;
            if (m->pc == MACHINE_VISIT_AT) {
                if (visit == NULL || !visit(context, m->registers[RDI]) || !give_back(m, 0)) return false;
                continue;
            }
            if (!called(m, &is_over)) return false;
            if (is_over) return true;
            continue;
        }
        if (c->steps++ >= c->most_steps || c->steps > end || !hsd_pyexecute_one(m)) return false;
    }
    return true;
}

bool hsd_pymachine_traverse(pycore *c, uint64_t function, uint64_t object, pyvisitor visit, void *context)
{
    pymachine *m = machine_of(c);
    return m != NULL && begin_machine(m, function, object, MACHINE_VISIT_AT) && run_machine(m, visit, context);
}

bool hsd_pymachine_call(pycore *c, uint64_t function, uint64_t first, uint64_t second, uint64_t *result)
{
    pymachine *m = machine_of(c);
    if (m == NULL || !begin_machine(m, function, first, second) || !run_machine(m, NULL, NULL)) return false;
    *result = m->registers[RAX];
    return true;
}
