/*
 * Reads scripts and their maps, one after the other, and lays what they say at the functions, constructors, variables
 * and allocations of the snapshot. See originals.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "import/sourcemap/files.h"
#include "import/sourcemap/map.h"
#include "import/sourcemap/script.h"
#include "import/v8/import.h"

#define MISFITS_ALLOWED 20u /* one in so many */

typedef enum spot_kind { SPOT_FUNCTION, SPOT_CONSTRUCTOR, SPOT_ALLOCATION } spot_kind;

typedef struct spot { /* a place of a script that the snapshot has; from 0 */
    uint32_t file, line, column, number;
    spot_kind kind;
} spot;

typedef struct scope_spot {
    uint32_t file, scope, variable;
} scope_spot;

/* What is asked of a map. */
typedef enum question_kind { ASKS_PLACE, ASKS_NAME, ASKS_VARIABLE } question_kind;

typedef struct question {
    hsd_script_spot at;
    question_kind kind;
    uint32_t number; /* of the spot, of the variable */
} question;

typedef struct script_job { /* one script */
    hsd_v8 *v8;
    uint32_t file;
    const spot *spots;
    size_t spot_count;
    const scope_spot *variables;
    size_t variable_count;
    hsd_buffer text;
    hsd_sourcemap_file opened;
    hsd_script script;
    hsd_names wanted;
    question *questions;
    size_t question_count, question_room;
    hsd_sourcemap map;
    hsd_id_map sources; /* number in the map -> file */
    bool is_single;     /* the script is its only source */
    char path[HSD_SOURCEMAP_PATH_BYTES];
} script_job;

/* ---- names in the script ---- */

static hsd_bytes name_of_spot(const hsd_v8 *v8, const spot *s)
{
    if (s->kind == SPOT_FUNCTION) return v8->functions.items[s->number].name;
    if (s->kind == SPOT_ALLOCATION) return hsd_v8_originals_kept(&v8->originals, v8->traces.functions[s->number].name);
    return hsd_v8_originals_kept(&v8->originals, v8->originals.constructors[s->number].type);
}

static hsd_status read_script_of(script_job *job, hsd_error *err)
{
    job->script.functions = calloc(job->spot_count + 1, sizeof *job->script.functions);
    if (job->script.functions == NULL) return hsd_fail_nomem(err, "functions of a script");
    job->script.function_count = job->spot_count;
    for (size_t i = 0; i < job->spot_count; i++)
        job->script.functions[i] = (hsd_script_function){.at = {job->spots[i].line, job->spots[i].column},
                                                         .name = name_of_spot(job->v8, &job->spots[i])};
    for (size_t i = 0; i < job->variable_count; i++) {
        uint32_t number;
        HSD_TRY(hsd_names_put(&job->wanted, job->v8->originals.variables[job->variables[i].variable].text, &number,
                              err));
    }
    job->script.wanted = &job->wanted;
    return hsd_script_read(&job->script, (hsd_bytes){job->text.data, job->text.size}, err);
}

/* Functions stand where the snapshot says. */
static bool is_script_that_ran(const script_job *job)
{
    size_t misfits = 0;
    for (size_t i = 0; i < job->spot_count; i++)
        misfits += job->script.functions[i].is_misfit;
    return misfits * MISFITS_ALLOWED <= job->spot_count;
}

/* ---- variables ---- */

static uint32_t depth_of(const hsd_script *script, uint32_t block)
{
    uint32_t depth = 0;
    for (; script->blocks[block].parent != HSD_SCRIPT_NONE; block = script->blocks[block].parent)
        depth++;
    return depth;
}

static uint32_t common_block(const hsd_script *script, uint32_t a, uint32_t b)
{
    uint32_t of_a = depth_of(script, a), of_b = depth_of(script, b);
    for (; of_a > of_b; of_a--)
        a = script->blocks[a].parent;
    for (; of_b > of_a; of_b--)
        b = script->blocks[b].parent;
    for (; a != b; a = script->blocks[a].parent)
        b = script->blocks[b].parent;
    return a;
}

/* The block in which all functions stand whose context this is. NONE: there are none. */
static uint32_t block_of_scope(const script_job *job, uint32_t scope)
{
    const hsd_v8_scope *s = &job->v8->scopes.scopes[scope];
    uint32_t block = HSD_SCRIPT_NONE;
    for (size_t i = 0; i < job->spot_count; i++) {
        const spot *at = &job->spots[i];
        if (at->kind != SPOT_FUNCTION || job->script.functions[i].is_misfit) continue;
        if (at->number != s->function && job->v8->functions.items[at->number].context != s->ordinal) continue;
        const uint32_t here = job->script.functions[i].block;
        block = block == HSD_SCRIPT_NONE ? here : common_block(&job->script, block, here);
    }
    return block;
}

static const hsd_script_declaration *find_variable(const script_job *job, uint32_t block, const scope_spot *at)
{
    const hsd_bytes text = job->v8->originals.variables[at->variable].text;
    const uint32_t name = hsd_names_find(&job->wanted, text);
    return name == HSD_NAME_NONE ? NULL : hsd_script_find(&job->script, block, name);
}

/* The one block, from there outwards, that declares most of the variables of a scope, and over half of them. NONE:
 * which it is is not known. */
static uint32_t home_of_scope(const script_job *job, uint32_t block, const scope_spot *variables, size_t count)
{
    uint32_t home = HSD_SCRIPT_NONE;
    size_t most = count / 2;
    for (; block != HSD_SCRIPT_NONE; block = job->script.blocks[block].parent) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++)
            found += find_variable(job, block, &variables[i]) != NULL;
        if (found > most) {
            most = found;
            home = block;
        } else if (found == most && found > 0) {
            home = HSD_SCRIPT_NONE; /* two would do */
        }
    }
    return home;
}

static hsd_status ask(script_job *job, hsd_script_spot at, question_kind kind, uint32_t number, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(job->questions, job->question_room, job->question_count + 1, 64, "names of sources", err));
    job->questions[job->question_count++] = (question){at, kind, number};
    return HSD_OK;
}

static hsd_status ask_scope(script_job *job, const scope_spot *variables, size_t count, hsd_error *err)
{
    const uint32_t block = block_of_scope(job, variables[0].scope);
    const uint32_t home = block == HSD_SCRIPT_NONE ? block : home_of_scope(job, block, variables, count);
    for (size_t i = 0; i < count && home != HSD_SCRIPT_NONE; i++) {
        const hsd_script_declaration *found = find_variable(job, home, &variables[i]);
        if (found != NULL) HSD_TRY(ask(job, found->at, ASKS_VARIABLE, variables[i].variable, err));
    }
    return HSD_OK;
}

/* ---- the map ---- */

static int compare_questions(const void *left, const void *right)
{
    const question *a = left, *b = right;
    if (a->at.line != b->at.line) return a->at.line < b->at.line ? -1 : 1;
    return (a->at.column > b->at.column) - (a->at.column < b->at.column);
}

static hsd_status ask_all(script_job *job, hsd_error *err)
{
    for (size_t i = 0; i < job->spot_count; i++) {
        const hsd_script_function *f = &job->script.functions[i];
        if (f->is_misfit) continue;
        HSD_TRY(ask(job, f->at, ASKS_PLACE, (uint32_t)i, err));
        if (f->has_name) HSD_TRY(ask(job, f->named, ASKS_NAME, (uint32_t)i, err));
    }
    for (size_t begin = 0, end; begin < job->variable_count && job->script.is_balanced; begin = end) {
        for (end = begin + 1; end < job->variable_count && job->variables[end].scope == job->variables[begin].scope;
             end++)
            continue;
        HSD_TRY(ask_scope(job, job->variables + begin, end - begin, err));
    }
    if (job->question_count > 0) qsort(job->questions, job->question_count, sizeof *job->questions, compare_questions);
    job->map.places = calloc(job->question_count + 1, sizeof *job->map.places);
    if (job->map.places == NULL) return hsd_fail_nomem(err, "names of sources");
    job->map.place_count = job->question_count;
    for (size_t i = 0; i < job->question_count; i++) {
        job->map.places[i].line = job->questions[i].at.line;
        job->map.places[i].column = job->questions[i].at.column;
    }
    return HSD_OK;
}

/* The file that a source is; NO_FILE: it has none, or it is the bundler's own. */
static hsd_status file_of_source(script_job *job, uint32_t number, uint32_t *out, hsd_error *err)
{
    char path[HSD_SOURCEMAP_PATH_BYTES];
    const hsd_bytes text = hsd_sourcemap_source(&job->map, number);
    *out = hsd_id_map_get(&job->sources, number);
    if (*out != HSD_ID_NONE) return HSD_OK;
    *out = HSD_V8_NO_FILE;
    if (text.size == 0 || !hsd_sourcemap_resolve(path, job->opened.path, text)) return HSD_OK;
    HSD_TRY(hsd_v8_files_add(&job->v8->files, (hsd_bytes){(const uint8_t *)path, strlen(path)}, out, err));
    return *out == HSD_V8_NO_FILE ? HSD_OK : hsd_id_map_put(&job->sources, number, *out, err);
}

static hsd_status keep_name(script_job *job, hsd_bytes text, hsd_bytes *out, hsd_error *err)
{
    const char *copy = text.size == 0 ? NULL : hsd_arena_copy(&job->v8->originals.arena, text.data, text.size);
    if (copy == NULL && text.size > 0) return hsd_fail_nomem(err, "names of sources");
    *out = (hsd_bytes){(const uint8_t *)copy, text.size};
    return HSD_OK;
}

static void tell_place(hsd_v8 *v8, const spot *at, uint32_t file, const hsd_sourcemap_place *place)
{
    if (at->kind == SPOT_FUNCTION) {
        hsd_v8_function *f = &v8->functions.items[at->number];
        f->source = file;
        f->line = place->source_line + 1;
        f->column = place->source_column + 1;
    } else if (at->kind == SPOT_ALLOCATION) {
        hsd_v8_trace_function *f = &v8->traces.functions[at->number];
        f->source = file;
        f->line = place->source_line + 1;
        f->column = place->source_column + 1;
    }
}

/* "exports.Cache", as V8 calls what has no name of its own. */
static hsd_bytes last_of_name(hsd_bytes name)
{
    for (size_t i = name.size; i > 0; i--)
        if (name.data[i - 1] == '.') return (hsd_bytes){name.data + i, name.size - i};
    return name;
}

static hsd_status tell_name(script_job *job, const spot *at, hsd_bytes name, hsd_error *err)
{
    hsd_v8 *v8 = job->v8;
    hsd_bytes copy;
    HSD_TRY(keep_name(job, name, &copy, err));
    if (at->kind == SPOT_CONSTRUCTOR)
        v8->originals.constructors[at->number].name = copy;
    else if (at->kind == SPOT_ALLOCATION)
        v8->traces.functions[at->number].original = copy;
    else
        v8->functions.items[at->number].name = copy;
    return HSD_OK;
}

static hsd_status take_answer(script_job *job, const question *q, const hsd_sourcemap_place *place, hsd_error *err)
{
    uint32_t file = HSD_V8_NO_FILE;
    hsd_bytes name = hsd_sourcemap_name(&job->map, place->name);
    HSD_TRY(file_of_source(job, place->source, &file, err));
    if (file == HSD_V8_NO_FILE) return HSD_OK;
    if (q->kind == ASKS_VARIABLE) {
        hsd_v8_variable *variable = &job->v8->originals.variables[q->number];
        variable->is_found = !job->is_single || name.size > 0;
        variable->file = job->is_single ? HSD_V8_NO_FILE : file;
        return keep_name(job, name.size == 0 ? variable->text : name, &variable->name, err);
    }
    const spot *at = &job->spots[q->number];
    if (q->kind == ASKS_PLACE) {
        tell_place(job->v8, at, file, place);
        if (at->kind != SPOT_CONSTRUCTOR) return HSD_OK;
        name = last_of_name(name_of_spot(job->v8, at)); /* unless the map has another */
        return job->v8->originals.constructors[at->number].name.size > 0 ? HSD_OK : tell_name(job, at, name, err);
    }
    return name.size == 0 ? HSD_OK : tell_name(job, at, name, err);
}

/* A script of one source is called as that. */
static hsd_status take_single(script_job *job, hsd_error *err)
{
    uint32_t file = HSD_V8_NO_FILE;
    for (size_t i = 0; i < job->question_count && file == HSD_V8_NO_FILE; i++)
        HSD_TRY(file_of_source(job, job->map.places[i].source, &file, err));
    job->is_single = job->map.source_count == 1 && file != HSD_V8_NO_FILE;
    if (job->is_single) job->v8->files.files[job->file].path = job->v8->files.files[file].path;
    return HSD_OK;
}

static hsd_status read_map_of(script_job *job, hsd_error *err)
{
    job->map.is_misfit = hsd_script_is_misfit;
    job->map.context = &job->script;
    HSD_TRY(ask_all(job, err));
    HSD_TRY(hsd_sourcemap_read(&job->map, &job->opened.source, err));
    if (job->map.misfits * MISFITS_ALLOWED > job->map.mappings)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "its source map is of another build");
    HSD_TRY(take_single(job, err));
    for (size_t i = 0; i < job->question_count; i++)
        HSD_TRY(take_answer(job, &job->questions[i], &job->map.places[i], err));
    return HSD_OK;
}

/* ---- one script ---- */

static hsd_status run_job(script_job *job, hsd_error *err)
{
    const uint64_t memory = job->v8->import->memory_bytes / 4;
    const hsd_import_options *options = job->v8->import->options;
    HSD_TRY(hsd_sourcemap_read_script(&job->text, job->path, hsd_min_u64(memory, HSD_SOURCEMAP_SCRIPT_BYTES), options,
                                      err));
    HSD_TRY(hsd_sourcemap_open(&job->opened, (hsd_bytes){job->text.data, job->text.size}, job->path, options, err));
    HSD_TRY(read_script_of(job, err));
    if (!is_script_that_ran(job)) return hsd_fail(err, HSD_E_UNSUPPORTED, "it is not the script that ran");
    return read_map_of(job, err);
}

static void release_job(script_job *job)
{
    hsd_buffer_release(&job->text);
    hsd_sourcemap_close(&job->opened);
    free(job->script.functions);
    hsd_script_release(&job->script);
    hsd_names_release(&job->wanted);
    free(job->questions);
    free(job->map.places);
    hsd_sourcemap_release(&job->map);
    hsd_id_map_release(&job->sources);
    free(job);
}

/* What is wrong with a map changes nothing, and is told where it is asked how things were done. */
static hsd_status read_one_script(hsd_v8 *v8, const spot *spots, size_t spot_count, const scope_spot *variables,
                                  size_t variable_count, hsd_error *err)
{
    const hsd_v8_file *file = &v8->files.files[spots[0].file];
    hsd_error own;
    if (file->is_runtime || file->path.size == 0 || file->path.size >= HSD_SOURCEMAP_PATH_BYTES ||
        file->path.data[0] != '/')
        return HSD_OK;
    script_job *job = calloc(1, sizeof *job);
    if (job == NULL) return hsd_fail_nomem(err, "a script");
    job->v8 = v8;
    job->file = spots[0].file;
    job->spots = spots;
    job->spot_count = spot_count;
    job->variables = variables;
    job->variable_count = variable_count;
    job->opened.fd = -1;
    memcpy(job->path, file->path.data, file->path.size);
    hsd_error_init(&own);
    const hsd_status status = run_job(job, &own);
    if (status < 0 && status != HSD_E_NOMEM)
        hsd_note(v8->import->reporter, HSD_NOTE_DETAIL, "no names from the source map of %s: %s", job->path, own.text);
    if (status == HSD_E_NOMEM && err != NULL) *err = own;
    release_job(job);
    return status == HSD_E_NOMEM ? status : HSD_OK;
}

/* ---- all scripts ---- */

static int compare_spots(const void *left, const void *right)
{
    const spot *a = left, *b = right;
    if (a->file != b->file) return a->file < b->file ? -1 : 1;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_scope_spots(const void *left, const void *right)
{
    const scope_spot *a = left, *b = right;
    if (a->file != b->file) return a->file < b->file ? -1 : 1;
    if (a->scope != b->scope) return a->scope < b->scope ? -1 : 1;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

static size_t list_spots(const hsd_v8 *v8, spot *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < v8->functions.count; i++) {
        const hsd_v8_function *f = &v8->functions.items[i];
        const uint32_t file = hsd_v8_functions_file(&v8->functions, &v8->names, i);
        if (file != HSD_V8_NO_FILE && f->line > 0)
            out[count++] = (spot){file, f->line - 1, f->column - 1, i, SPOT_FUNCTION};
    }
    for (uint32_t i = 0; i < v8->originals.constructor_count; i++) {
        const hsd_v8_constructor *c = &v8->originals.constructors[i];
        const uint32_t function = hsd_id_map_get(&v8->originals.scripts, c->script);
        if (function == HSD_ID_NONE) continue;
        const uint32_t file = hsd_v8_functions_file(&v8->functions, &v8->names, function);
        if (file != HSD_V8_NO_FILE && c->type != HSD_V8_NO_ENTRY)
            out[count++] = (spot){file, c->line, c->column, i, SPOT_CONSTRUCTOR};
    }
    for (uint32_t i = 0; i < v8->traces.function_count; i++) {
        const hsd_v8_trace_function *f = &v8->traces.functions[i];
        if (f->file != HSD_V8_NO_FILE && f->line > 0 && f->column > 0)
            out[count++] = (spot){f->file, f->line - 1, f->column - 1, i, SPOT_ALLOCATION};
    }
    return count;
}

static size_t list_variables(const hsd_v8 *v8, scope_spot *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < v8->originals.variable_count; i++) {
        const uint32_t scope = v8->originals.variables[i].scope, file = v8->scopes.scopes[scope].file;
        if (file != HSD_V8_NO_FILE) out[count++] = (scope_spot){file, scope, i};
    }
    return count;
}

static hsd_status read_scripts(hsd_v8 *v8, spot *spots, size_t spot_count, scope_spot *variables, size_t variable_count,
                               hsd_error *err)
{
    size_t at = 0;
    if (spot_count > 0) qsort(spots, spot_count, sizeof *spots, compare_spots);
    if (variable_count > 0) qsort(variables, variable_count, sizeof *variables, compare_scope_spots);
    for (size_t begin = 0, end; begin < spot_count; begin = end) {
        const uint32_t file = spots[begin].file;
        for (end = begin + 1; end < spot_count && spots[end].file == file; end++)
            continue;
        while (at < variable_count && variables[at].file < file)
            at++;
        const size_t from = at;
        while (at < variable_count && variables[at].file == file)
            at++;
        HSD_TRY(read_one_script(v8, spots + begin, end - begin, variables + from, at - from, err));
        HSD_TRY(hsd_v8_progress(v8, err));
    }
    return HSD_OK;
}

hsd_status hsd_v8_originals_find(hsd_v8 *v8, hsd_error *err)
{
    const size_t most = (size_t)v8->functions.count + v8->originals.constructor_count + v8->traces.function_count;
    spot *spots = malloc((most + 1) * sizeof *spots);
    scope_spot *variables = malloc(((size_t)v8->originals.variable_count + 1) * sizeof *variables);
    const hsd_status status =
        spots == NULL || variables == NULL
            ? hsd_fail_nomem(err, "functions")
            : read_scripts(v8, spots, list_spots(v8, spots), variables, list_variables(v8, variables), err);
    free(spots);
    free(variables);
    return status;
}
