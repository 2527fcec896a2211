/* One pass over the name; what a task is of is put in front behind it. See rust_spelling.h. */
#include "symbols/rust_spelling.h"

#include <stdbool.h>
#include <string.h>

#include "base/check.h"

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '#';
}

static const char *skip_default(const char *at)
{
    static const char *const defaults[] = {", alloc::alloc::Global", ", std::hash::random::RandomState",
                                           ", std::collections::hash::map::RandomState"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(defaults); i++) {
        const size_t size = strlen(defaults[i]);
        if (strncmp(at, defaults[i], size) == 0 && (at[size] == '>' || at[size] == ',')) return at + size;
    }
    return NULL;
}

/* What has no name of its own, and how it is called behind that of its function. */
static const struct nameless {
    const char *begins, *shown;
} nameless[] = {{"{closure_env#", "{closure}"},
                {"{closure#", "{closure}"},
                {"{async_fn_env#", "{async fn}"},
                {"{async_fn#", "{async fn}"},
                {"{async_block_env#", "{async block}"},
                {"{async_block#", "{async block}"},
                {"{async_closure_env#", "{async closure}"},
                {"{async_closure#", "{async closure}"},
                {"{coroutine_env#", "{coroutine}"},
                {"{coroutine#", "{coroutine}"}};

static const struct nameless *nameless_at(const char *at)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(nameless); i++)
        if (strncmp(at, nameless[i].begins, strlen(nameless[i].begins)) == 0) return &nameless[i];
    return NULL;
}

static hsd_status append_word(hsd_buffer *out, const char *word, hsd_error *err)
{
    return hsd_buffer_append(out, word, strlen(word), err);
}

/* The innermost of those that stand one in another, behind the name of the function: "serve::{async fn}". */
static hsd_status append_nameless(hsd_buffer *out, const char **at, hsd_error *err)
{
    const char *shown = "";
    for (const struct nameless *next; (next = nameless_at(*at)) != NULL;) {
        shown = next->shown;
        *at += strcspn(*at, "}");
        *at += **at == '}';
        if (strncmp(*at, "::", 2) != 0 || nameless_at(*at + 2) == NULL) break;
        *at += 2;
    }
    return append_word(out, shown, err);
}

/* What stands before "::" was a path: "shop", "{impl#2}", "serve::{closure}". */
static void drop_path(hsd_buffer *out, size_t base)
{
    if (out->size > base && out->data[out->size - 1] == '}') {
        while (out->size > base && out->data[out->size - 1] != '{')
            out->size--;
        out->size -= out->size > base;
        while (out->size > base && out->data[out->size - 1] == ':')
            out->size--;
    }
    while (out->size > base && is_word_byte((char)out->data[out->size - 1]))
        out->size--;
}

/* "Cell<serve::{async fn}, …>": tokio has a task and what it runs in one block. The Cell of the standard library has
 * one argument. */
static hsd_status name_task(hsd_buffer *out, size_t base, hsd_error *err)
{
    static const char cell[] = "Cell<", of[] = "task of ", function[] = "::{async fn}";
    const size_t skipped = sizeof cell - 1, size = out->size - base;
    const char *text = (const char *)out->data + base;
    if (size <= skipped || memcmp(text, cell, skipped) != 0) return HSD_OK;
    HSD_TRY(hsd_buffer_append(out, "", 1, err));
    text = (const char *)out->data + base + skipped;
    const char *kind = strstr(text, "::{async ");
    const size_t future = strcspn(text, ",");
    out->size--;
    if (kind == NULL || (size_t)(kind - text) > future || text[future] != ',') return HSD_OK;
    const bool is_function = future >= sizeof function - 1 &&
                             memcmp(text + future - (sizeof function - 1), function, sizeof function - 1) == 0;
    hsd_buffer task = {0};
    hsd_status status = append_word(&task, of, err);
    if (status == HSD_OK)
        status = hsd_buffer_append(&task, text, is_function ? future - (sizeof function - 1) : future, err);
    out->size = base;
    if (status == HSD_OK) status = hsd_buffer_append(out, task.data, task.size, err);
    hsd_buffer_release(&task);
    return status;
}

hsd_status hsd_spell_rust(hsd_buffer *out, const char *type, hsd_error *err)
{
    const size_t base = out->size;
    if (nameless_at(type) != NULL) HSD_TRY(append_nameless(out, &type, err));
    for (const char *at = type; *at != '\0';) {
        const char *behind = skip_default(at);
        if (behind != NULL) {
            at = behind;
        } else if (at[0] == ':' && at[1] == ':' && nameless_at(at + 2) != NULL) {
            at += 2;
            HSD_TRY(append_word(out, "::", err));
            HSD_TRY(append_nameless(out, &at, err));
        } else if (at[0] == ':' && at[1] == ':') {
            drop_path(out, base);
            at += 2;
        } else {
            HSD_TRY(hsd_buffer_append(out, at++, 1, err));
        }
    }
    return name_task(out, base, err);
}

hsd_status hsd_spell_rust_member(hsd_buffer *out, const char *type, const char *name, hsd_error *err)
{
    const bool is_of_closure = type != NULL && strncmp(type, "{closure_env#", sizeof "{closure_env#" - 1) == 0;
    for (const char *at; is_of_closure && (at = strstr(name, "__")) != NULL && at > name && at[2] != '\0';
         name = at + 2) {
        HSD_TRY(hsd_buffer_append(out, name, (size_t)(at - name), err));
        HSD_TRY(append_word(out, ".", err));
    }
    return append_word(out, name, err);
}
