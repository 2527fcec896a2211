/*
 * The reader of script.h: one pass over the text, a stack of brackets.
 */
#include "import/sourcemap/script.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"

#define MOST_DEPTH        (UINT32_C(1) << 14)
#define MOST_LINES        (UINT32_C(1) << 22)
#define MOST_DECLARATIONS (UINT32_C(1) << 20)
#define KEPT_TOKENS       8u /* how far back a function looks for its name */

typedef enum token_kind { TOKEN_NONE, TOKEN_WORD, TOKEN_VALUE, TOKEN_SIGN } token_kind;

/* Signs of several characters that mean something here; others count as their first. */
enum { SIGN_ARROW = 1, SIGN_COMPARES, SIGN_ASSIGNS };

typedef struct token {
    token_kind kind;
    uint8_t sign;
    hsd_bytes text; /* of a word */
    hsd_script_spot at;
} token;

typedef enum declaring { DECLARES_NOTHING, DECLARES_HERE, DECLARES_OF_FUNCTION } declaring;

typedef struct class_head { /* from "class" to its body */
    token name;
    uint32_t from, to; /* functions that begin at "class" */
    bool is_open, is_statement;
} class_head;

typedef struct bracket {
    uint8_t sign;    /* '(', '[', '{', '`' of what stands in a template; 0 = the script */
    bool is_control; /* of if, for, …: what follows is a statement */
    bool is_function, is_value, has_functions;
    bool is_pattern, is_default; /* names that are declared; behind "=" there */
    bool expects_name;           /* the next word is declared */
    declaring declares;          /* the statement that is read */
    uint32_t block;
    uint32_t parameters; /* '(': words that may be */
    token class_name;    /* '{' of a class: its name, or what it is assigned to */
    bool is_class;
    class_head head;
} bracket;

typedef struct reader {
    hsd_script *script;
    const uint8_t *at, *end, *begin_of_line;
    hsd_script_spot spot;
    token last[KEPT_TOKENS];           /* the newest first */
    bool closed_control, closed_value; /* of the bracket that was closed last */
    uint32_t parameters;               /* of the '(' that was closed last, or of an arrow */
    bracket *open;
    uint32_t depth, room; /* open[depth] is the innermost */
    uint32_t next;        /* function */
    bool is_lost;         /* brackets do not match */
    bool is_full;         /* some declaration was left out */
} reader;

/* ---- words ---- */

static bool is_word_byte(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '#' || c >= 0x80;
}

static bool text_is(hsd_bytes text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static bool is_word_among(const token *t, const char *const *words)
{
    if (t->kind != TOKEN_WORD) return false;
    for (size_t i = 0; words[i] != NULL; i++)
        if (text_is(t->text, words[i])) return true;
    return false;
}

static bool is_word(const token *t, const char *word) { return t->kind == TOKEN_WORD && text_is(t->text, word); }
static bool is_sign(const token *t, uint8_t sign) { return t->kind == TOKEN_SIGN && t->sign == sign; }
static bool is_same_text(hsd_bytes a, hsd_bytes b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

/* Behind these an expression begins. */
static const char *const before_values[] = {"return", "typeof", "case", "in",   "instanceof", "new",   "delete",
                                            "void",   "throw",  "do",   "else", "yield",      "await", NULL};
static const char *const of_control[] = {"if", "for", "while", "switch", "with", "catch", NULL};
static const char *const before_blocks[] = {"else", "try", "finally", "do", NULL};
static const char *const of_functions[] = {"function", "async", "static", "get", "set", NULL};
static const char *const of_statements[] = {"if",    "for", "while",  "switch", "return", "try",
                                            "throw", "do",  "import", "export", NULL};

/* The next token stands where a statement or an expression begins, not behind a value. */
static bool is_at_begin(const reader *r)
{
    const token *t = &r->last[0];
    switch (t->kind) {
    case TOKEN_NONE: return true;
    case TOKEN_VALUE: return false;
    case TOKEN_WORD: return is_word_among(t, before_values) && !is_sign(&r->last[1], '.');
    case TOKEN_SIGN: break;
    }
    if (t->sign == ')') return r->closed_control;
    if (t->sign == '}') return !r->closed_value;
    return t->sign != ']';
}

/* A function or a class that begins here is a statement and declares its name. */
static bool is_at_statement(const reader *r)
{
    static const char *const before[] = {"else", "do", "export", "default", "async", NULL};
    const token *t = &r->last[0];
    const uint8_t in = r->open[r->depth].sign;
    if (in == '(' || in == '[' || in == '`') return false;
    if (t->kind == TOKEN_NONE || is_word_among(t, before)) return true;
    if (t->kind != TOKEN_SIGN) return true; /* the line before has no semicolon */
    return t->sign == ';' || t->sign == '{' || t->sign == '}' || (t->sign == ')' && r->closed_control);
}

/* ---- declarations ---- */

static hsd_status put_declaration(reader *r, const token *t, uint32_t *list, hsd_error *err)
{
    hsd_script *s = r->script;
    const uint32_t name = s->wanted == NULL ? HSD_NAME_NONE : hsd_names_find(s->wanted, t->text);
    if (name == HSD_NAME_NONE) return HSD_OK;
    if (s->declaration_count == MOST_DECLARATIONS) {
        r->is_full = true;
        return HSD_OK;
    }
    HSD_TRY(HSD_ARRAY_GROW(s->declarations, s->declaration_capacity, s->declaration_count + 1, 256,
                           "variables of a script", err));
    s->declarations[s->declaration_count] = (hsd_script_declaration){.name = name, .at = t->at, .next = *list};
    *list = s->declaration_count++;
    return HSD_OK;
}

/* In the block that is read; what "var" declares, in the function around it. */
static hsd_status declare(reader *r, const token *t, declaring how, hsd_error *err)
{
    uint32_t depth = r->depth;
    if (how == DECLARES_OF_FUNCTION)
        while (depth > 0 && !r->open[depth].is_function)
            depth--;
    return put_declaration(r, t, &r->script->blocks[r->open[depth].block].declared, err);
}

/* What looked like parameters was none. */
static void drop_parameters(reader *r)
{
    hsd_script *s = r->script;
    while (r->parameters != HSD_SCRIPT_NONE && r->parameters + 1 == s->declaration_count)
        r->parameters = s->declarations[--s->declaration_count].next;
    r->parameters = HSD_SCRIPT_NONE;
}

/* Parameters become those of the body that begins. */
static void take_parameters(reader *r, uint32_t block)
{
    hsd_script *s = r->script;
    for (uint32_t at = r->parameters; at != HSD_SCRIPT_NONE;) {
        const uint32_t next = s->declarations[at].next;
        s->declarations[at].next = s->blocks[block].declared;
        s->blocks[block].declared = at;
        at = next;
    }
    r->parameters = HSD_SCRIPT_NONE;
}

/* ---- functions ---- */

static bool is_spot_before(hsd_script_spot a, hsd_script_spot b)
{
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

/* "get size" -> "size", "exports.onSample" -> "onSample". */
static hsd_bytes last_part(hsd_bytes name)
{
    for (size_t i = name.size; i > 0; i--)
        if (name.data[i - 1] == '.' || name.data[i - 1] == ' ') return (hsd_bytes){name.data + i, name.size - i};
    return name;
}

/* "<instance_members_initializer>" is no name, and what was written as a string is none that can be looked for. */
static bool is_plain_word(hsd_bytes name)
{
    for (size_t i = 0; i < name.size; i++)
        if (!is_word_byte(name.data[i])) return false;
    return name.size > 0;
}

static void give_name(hsd_script_function *f, const token *t)
{
    f->named = t->at;
    f->has_name = true;
}

/* "t=function(", "t:async e=>", "t=class{": back over what can stand between. */
static const token *find_bound(const reader *r, hsd_bytes name)
{
    for (unsigned i = 0; i < KEPT_TOKENS; i++) {
        const token *t = &r->last[i];
        if (t->kind == TOKEN_WORD && is_same_text(t->text, name)) return t;
        if (!is_word_among(t, of_functions) && !is_sign(t, '=') && !is_sign(t, ':') && !is_sign(t, '*')) return NULL;
    }
    return NULL;
}

static void look_at_head(reader *r, hsd_script_function *f, const token *t)
{
    const hsd_bytes name = last_part(f->name);
    const token *before = &r->last[0];
    const bracket *in = &r->open[r->depth];
    if (t->kind == TOKEN_SIGN && t->sign != '(' && t->sign != '[' && t->sign != '{') {
        f->is_misfit = true;
        return;
    }
    if (is_sign(t, '(') && is_word(before, "constructor") && in->is_class) {
        f->is_constructor = true;
        if (in->class_name.kind == TOKEN_WORD && is_same_text(in->class_name.text, name)) give_name(f, &in->class_name);
        return;
    }
    if (!is_plain_word(name)) return;
    const token *bound = find_bound(r, name);
    if (bound != NULL)
        give_name(f, bound);
    else
        f->is_misfit = is_sign(t, '(') && before->kind == TOKEN_WORD && !is_word_among(before, of_functions) &&
                       !is_word_among(before, before_values);
}

/* A token begins: functions that begin there, and those that should have before. */
static void look_at_functions(reader *r, const token *t)
{
    hsd_script *s = r->script;
    const bool is_class = is_word(t, "class");
    class_head *head = &r->open[r->depth].head;
    if (is_class) head->from = head->to = r->next;
    for (; r->next < s->function_count; r->next++) {
        hsd_script_function *f = &s->functions[r->next];
        if (is_spot_before(t->at, f->at)) break;
        f->is_misfit = is_spot_before(f->at, t->at);
        if (f->is_misfit) {
            if (is_class) head->from = head->to = r->next + 1;
            continue;
        }
        f->block = r->open[r->depth].block;
        r->open[r->depth].has_functions = true;
        if (is_class)
            head->to = r->next + 1;
        else
            look_at_head(r, f, t);
    }
}

/* ---- brackets ---- */

static hsd_status add_block(reader *r, uint32_t parent, uint32_t *out, hsd_error *err)
{
    hsd_script *s = r->script;
    HSD_TRY(HSD_ARRAY_GROW(s->blocks, s->block_capacity, s->block_count + 1, 256, "blocks of a script", err));
    s->blocks[s->block_count] = (hsd_script_block){.parent = parent, .declared = HSD_SCRIPT_NONE};
    *out = s->block_count++;
    return HSD_OK;
}

/* The body of a class begins: its name goes to its constructors. */
static void end_head(reader *r, bracket *body, class_head *head)
{
    body->is_class = true;
    body->class_name = head->name;
    for (uint32_t i = head->from; i < head->to; i++) {
        hsd_script_function *f = &r->script->functions[i];
        f->is_constructor = is_plain_word(last_part(f->name));
        if (head->name.kind == TOKEN_WORD && is_same_text(head->name.text, last_part(f->name)))
            give_name(f, &head->name);
    }
    head->is_open = false;
}

static hsd_status open_brace(reader *r, bracket *outer, bracket *b, hsd_error *err)
{
    const token *before = &r->last[0];
    const bool is_body =
        (is_sign(before, ')') && !r->closed_control) || is_sign(before, SIGN_ARROW) || is_word(before, "static");
    const bool is_statement = before->kind == TOKEN_NONE || is_sign(before, ';') || is_sign(before, '{') ||
                              is_sign(before, '}') || (is_sign(before, ')') && r->closed_control) ||
                              is_word_among(before, before_blocks);
    if (outer->head.is_open)
        end_head(r, b, &outer->head);
    else
        b->is_function = is_body;
    b->is_value = !is_statement;
    HSD_TRY(add_block(r, outer->block, &b->block, err));
    if (is_body)
        take_parameters(r, b->block);
    else
        drop_parameters(r);
    return HSD_OK;
}

static hsd_status open_bracket(reader *r, uint8_t sign, hsd_error *err)
{
    const token *before = &r->last[0];
    if (r->depth + 1 == MOST_DEPTH) {
        r->is_lost = true;
        return HSD_OK;
    }
    HSD_TRY(HSD_ARRAY_GROW(r->open, r->room, r->depth + 2, 64, "brackets of a script", err));
    bracket *outer = &r->open[r->depth];
    bracket b = {.sign = sign, .block = outer->block, .parameters = HSD_SCRIPT_NONE};
    if (sign == '{' || sign == '[') {
        const bool is_part = is_sign(before, ':') || is_sign(before, ',') || is_sign(before, '[');
        b.is_pattern = outer->expects_name || (outer->is_pattern && !outer->is_default && is_part);
        if (b.is_pattern) b.declares = outer->declares;
    }
    outer->expects_name = false;
    if (sign == '(') b.is_control = is_word_among(before, of_control) && !is_sign(&r->last[1], '.');
    if (sign == '{' && !b.is_pattern) HSD_TRY(open_brace(r, outer, &b, err));
    if (sign == '[' || b.is_pattern) b.is_value = true;
    r->open[++r->depth] = b;
    return HSD_OK;
}

static void close_bracket(reader *r, uint8_t opening)
{
    bracket *b = &r->open[r->depth];
    hsd_script *s = r->script;
    if (r->depth == 0 || b->sign != opening) {
        r->is_lost = true;
        return;
    }
    r->closed_control = b->is_control;
    r->closed_value = b->is_value;
    r->parameters = opening == '(' ? b->parameters : HSD_SCRIPT_NONE;
    const bool is_block = opening == '{' && b->block != r->open[r->depth - 1].block;
    if (is_block && !b->has_functions && b->block + 1 == s->block_count) s->block_count--;
    r->depth--;
    r->open[r->depth].has_functions |= b->has_functions;
}

/* ---- tokens ---- */

static void keep_token(reader *r, const token *t)
{
    memmove(&r->last[1], &r->last[0], sizeof r->last - sizeof r->last[0]);
    r->last[0] = *t;
}

/* The word before in a pattern was a name, not the key of one, as what follows it shows. */
static hsd_status end_pattern_word(reader *r, uint8_t sign, hsd_error *err)
{
    bracket *b = &r->open[r->depth];
    const token word = r->last[0];
    if (word.kind == TOKEN_WORD && !b->is_default && sign != ':' && sign != '.' && sign != '(')
        HSD_TRY(declare(r, &word, b->declares, err));
    if (sign == '=') b->is_default = true;
    if (sign == ',') b->is_default = false;
    return HSD_OK;
}

/* A word in a list of what may be parameters. */
static hsd_status end_parameter(reader *r, uint8_t sign, hsd_error *err)
{
    bracket *b = &r->open[r->depth];
    const token word = r->last[0], *before = &r->last[1];
    if (word.kind != TOKEN_WORD || (sign != ',' && sign != ')' && sign != '=')) return HSD_OK;
    if (!is_sign(before, '(') && !is_sign(before, ',') && !is_sign(before, '.')) return HSD_OK;
    return put_declaration(r, &word, &b->parameters, err);
}

static hsd_status take_sign(reader *r, const token *t, hsd_error *err)
{
    bracket *b = &r->open[r->depth];
    if (b->is_pattern) HSD_TRY(end_pattern_word(r, t->sign, err));
    if (b->sign == '(') HSD_TRY(end_parameter(r, t->sign, err));
    b = &r->open[r->depth];
    switch (t->sign) {
    case '(':
    case '[':
    case '{': return open_bracket(r, t->sign, err);
    case ')': close_bracket(r, '('); return HSD_OK;
    case ']': close_bracket(r, '['); return HSD_OK;
    case '}': close_bracket(r, '{'); return HSD_OK;
    case ';':
        b->declares = DECLARES_NOTHING;
        b->expects_name = false;
        return HSD_OK;
    case ',':
        if (!b->is_pattern) b->expects_name = b->declares != DECLARES_NOTHING;
        return HSD_OK;
    case SIGN_ARROW:
        if (r->last[0].kind == TOKEN_WORD) {
            const token word = r->last[0];
            drop_parameters(r);
            return put_declaration(r, &word, &r->parameters, err);
        }
        return HSD_OK;
    default: return HSD_OK;
    }
}

/* "class" and a body follow, not a property that is called so. */
static bool begins_class(const reader *r, const token *t)
{
    const uint8_t *at = r->at;
    while (at < r->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return is_word(t, "class") && !is_sign(&r->last[0], '.') && at < r->end && (is_word_byte(*at) || *at == '{');
}

static void begin_head(reader *r)
{
    bracket *b = &r->open[r->depth];
    b->head.is_open = true;
    b->head.is_statement = is_at_statement(r);
    b->head.name = (token){.kind = TOKEN_NONE};
    for (unsigned i = 0; i + 1 < KEPT_TOKENS; i++) {
        if (!is_sign(&r->last[i], '=') && !is_sign(&r->last[i], ':')) break;
        if (r->last[i + 1].kind == TOKEN_WORD) b->head.name = r->last[i + 1];
    }
}

/* True where the word was the name of a function or of a class. */
static hsd_status take_name(reader *r, const token *t, bool *is_taken, hsd_error *err)
{
    bracket *b = &r->open[r->depth];
    const bool is_generator = is_sign(&r->last[0], '*') && is_word(&r->last[1], "function");
    *is_taken = true;
    if (b->head.is_open && is_word(&r->last[0], "class") && !text_is(t->text, "extends")) {
        b->head.name = *t;
        return b->head.is_statement ? declare(r, t, DECLARES_HERE, err) : HSD_OK;
    }
    if (is_generator || is_word(&r->last[0], "function")) {
        reader before = *r; /* as if "function" were to come */
        memmove(&before.last[0], &r->last[1 + is_generator], (KEPT_TOKENS - 2) * sizeof before.last[0]);
        return is_at_statement(&before) ? declare(r, t, DECLARES_HERE, err) : HSD_OK;
    }
    *is_taken = false;
    return HSD_OK;
}

static hsd_status take_word(reader *r, const token *t, hsd_error *err)
{
    bracket *b = &r->open[r->depth];
    const bool is_property = is_sign(&r->last[0], '.');
    bool is_taken;
    if (b->expects_name) {
        b->expects_name = false;
        return declare(r, t, b->declares, err);
    }
    if (is_property) return HSD_OK;
    HSD_TRY(take_name(r, t, &is_taken, err));
    if (is_taken) return HSD_OK;
    if (begins_class(r, t)) {
        begin_head(r);
    } else if (is_word(t, "var")) {
        b->declares = DECLARES_OF_FUNCTION;
        b->expects_name = true;
    } else if (is_word(t, "let") || is_word(t, "const")) {
        b->declares = b->sign == '(' ? DECLARES_NOTHING : DECLARES_HERE; /* of a loop: its own */
        b->expects_name = b->sign != '(';
    } else if (is_word_among(t, of_statements)) {
        b->declares = DECLARES_NOTHING;
    }
    return HSD_OK;
}

static hsd_status take_token(reader *r, const token *t, hsd_error *err)
{
    const bool follows_parameters = is_sign(t, SIGN_ARROW) || is_sign(t, '{');
    look_at_functions(r, t);
    if (!follows_parameters) drop_parameters(r);
    if (t->kind == TOKEN_SIGN) HSD_TRY(take_sign(r, t, err));
    if (t->kind == TOKEN_WORD) HSD_TRY(take_word(r, t, err));
    keep_token(r, t);
    return HSD_OK;
}

/* ---- bytes ---- */

static hsd_status end_line(reader *r, hsd_error *err)
{
    hsd_script *s = r->script;
    if (s->line_count == MOST_LINES)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "a script of more than %u lines", MOST_LINES);
    HSD_TRY(HSD_ARRAY_GROW(s->lines, s->line_capacity, s->line_count + 1, 1024, "lines of a script", err));
    s->lines[s->line_count++] = s->units;
    r->spot.line = s->line_count - 1;
    r->spot.column = 0;
    return HSD_OK;
}

/* One byte passes, of a word or of anything else. */
static hsd_status pass_byte(reader *r, hsd_error *err)
{
    const uint8_t c = *r->at++;
    const bool is_end = c == '\n' || (c == '\r' && (r->at == r->end || *r->at != '\n'));
    const uint32_t units = c < 0x80 || (c >= 0xc0 && c < 0xf0) ? 1 : c >= 0xf0 ? 2 : 0;
    r->script->units += units;
    r->spot.column += units;
    return is_end ? end_line(r, err) : HSD_OK;
}

static hsd_status pass_bytes(reader *r, size_t count, hsd_error *err)
{
    for (size_t i = 0; i < count && r->at < r->end; i++)
        HSD_TRY(pass_byte(r, err));
    return HSD_OK;
}

static uint8_t byte_ahead(const reader *r, size_t i) { return (size_t)(r->end - r->at) > i ? r->at[i] : 0; }

/* What comes next goes on with the word or the string before it. */
static void mark_inside(reader *r)
{
    const uint32_t unit = r->script->units;
    if (r->at < r->end && (*r->at < 0x80 || *r->at >= 0xc0)) r->script->inside[unit >> 6] |= UINT64_C(1) << (unit & 63);
}

static hsd_status read_word(reader *r, hsd_error *err)
{
    token t = {.kind = TOKEN_WORD, .text = {r->at, 0}, .at = r->spot};
    const uint8_t first = *r->at;
    while (r->at < r->end && is_word_byte(*r->at)) {
        HSD_TRY(pass_byte(r, err));
        if (r->at < r->end && is_word_byte(*r->at)) mark_inside(r);
    }
    t.text.size = (size_t)(r->at - t.text.data);
    if (first >= '0' && first <= '9') t.kind = TOKEN_VALUE;
    return take_token(r, &t, err);
}

static hsd_status read_quoted(reader *r, hsd_error *err)
{
    const token t = {.kind = TOKEN_VALUE, .at = r->spot};
    const uint8_t quote = *r->at;
    HSD_TRY(pass_byte(r, err));
    while (r->at < r->end && *r->at != quote && *r->at != '\n') {
        mark_inside(r);
        HSD_TRY(pass_bytes(r, *r->at == '\\' ? 2 : 1, err));
    }
    HSD_TRY(pass_bytes(r, 1, err));
    return take_token(r, &t, err);
}

/* From behind the "`", or behind the "}" of what stands in it. */
static hsd_status read_template(reader *r, hsd_script_spot at, hsd_error *err)
{
    const token t = {.kind = TOKEN_VALUE, .at = at};
    while (r->at < r->end) {
        if (*r->at == '`') {
            HSD_TRY(pass_byte(r, err));
            return take_token(r, &t, err);
        }
        if (*r->at == '$' && byte_ahead(r, 1) == '{') {
            HSD_TRY(pass_bytes(r, 2, err));
            HSD_TRY(open_bracket(r, '`', err));
            keep_token(r, &(token){.kind = TOKEN_SIGN, .sign = '(', .at = r->spot});
            return HSD_OK;
        }
        HSD_TRY(pass_bytes(r, *r->at == '\\' ? 2 : 1, err));
    }
    return HSD_OK;
}

/* The size of the regular expression that begins here, 0 = there is none. */
static size_t measure_regexp(const reader *r)
{
    bool is_in_class = false;
    for (const uint8_t *at = r->at + 1; at < r->end && *at != '\n'; at++) {
        if (*at == '\\') {
            at++;
            continue;
        }
        if (*at == '[') is_in_class = true;
        if (*at == ']') is_in_class = false;
        if (*at == '/' && !is_in_class) return (size_t)(at + 1 - r->at);
    }
    return 0;
}

static hsd_status read_slash(reader *r, bool *is_sign_of_its_own, hsd_error *err)
{
    const uint8_t next = byte_ahead(r, 1);
    *is_sign_of_its_own = false;
    if (next == '/') {
        while (r->at < r->end && *r->at != '\n')
            HSD_TRY(pass_byte(r, err));
        return HSD_OK;
    }
    if (next == '*') {
        HSD_TRY(pass_bytes(r, 2, err));
        while (r->at < r->end && (*r->at != '*' || byte_ahead(r, 1) != '/'))
            HSD_TRY(pass_byte(r, err));
        return pass_bytes(r, 2, err);
    }
    const size_t size = is_at_begin(r) ? measure_regexp(r) : 0;
    *is_sign_of_its_own = size == 0;
    if (size == 0) return HSD_OK;
    const token t = {.kind = TOKEN_VALUE, .at = r->spot};
    HSD_TRY(pass_bytes(r, size, err));
    return take_token(r, &t, err);
}

static hsd_status read_sign(reader *r, hsd_error *err)
{
    token t = {.kind = TOKEN_SIGN, .sign = *r->at, .at = r->spot};
    const uint8_t next = byte_ahead(r, 1);
    size_t size = 1;
    if (t.sign == '=' && next == '>') {
        t.sign = SIGN_ARROW;
        size = 2;
    } else if (next == '=' && strchr("=!<>+-*/%&|^?", t.sign) != NULL) {
        t.sign = byte_ahead(r, 1) == '=' && (t.sign == '=' || t.sign == '!') ? SIGN_COMPARES : SIGN_ASSIGNS;
        size = byte_ahead(r, 2) == '=' ? 3 : 2;
    } else if ((t.sign == '+' || t.sign == '-') && next == t.sign) {
        if (!is_at_begin(r)) t.kind = TOKEN_VALUE; /* "a++" is a value as a is */
        size = 2;
    }
    if (t.sign == '}' && r->open[r->depth].sign == '`') {
        HSD_TRY(pass_byte(r, err));
        close_bracket(r, '`');
        return read_template(r, t.at, err);
    }
    /* The brackets that a function stands in are those around its "(". */
    HSD_TRY(take_token(r, &t, err));
    return pass_bytes(r, size, err);
}

static hsd_status read_token(reader *r, hsd_error *err)
{
    const uint8_t c = *r->at;
    bool is_sign_of_its_own = true;
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') return pass_byte(r, err);
    if (is_word_byte(c)) return read_word(r, err);
    if (c == '"' || c == '\'') return read_quoted(r, err);
    if (c == '`') {
        const hsd_script_spot at = r->spot;
        HSD_TRY(pass_byte(r, err));
        return read_template(r, at, err);
    }
    if (c == '/') HSD_TRY(read_slash(r, &is_sign_of_its_own, err));
    return is_sign_of_its_own ? read_sign(r, err) : HSD_OK;
}

static hsd_status read_script(reader *r, hsd_error *err)
{
    hsd_script *s = r->script;
    HSD_TRY(HSD_ARRAY_GROW_ZEROED(r->open, r->room, 1, 64, "brackets of a script", err));
    r->open[0].is_function = true;
    r->open[0].parameters = r->parameters = HSD_SCRIPT_NONE;
    HSD_TRY(add_block(r, HSD_SCRIPT_NONE, &r->open[0].block, err));
    HSD_TRY(end_line(r, err));
    if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3;
    if (byte_ahead(r, 0) == '#' && byte_ahead(r, 1) == '!')
        while (r->at < r->end && *r->at != '\n')
            HSD_TRY(pass_byte(r, err));
    while (r->at < r->end && !r->is_lost)
        HSD_TRY(read_token(r, err));
    while (r->at < r->end) /* lines are asked for all the same */
        HSD_TRY(pass_byte(r, err));
    for (; r->next < s->function_count; r->next++)
        s->functions[r->next].is_misfit = !r->is_lost;
    s->is_balanced = !r->is_lost && !r->is_full && r->depth == 0;
    return HSD_OK;
}

hsd_status hsd_script_read(hsd_script *s, hsd_bytes text, hsd_error *err)
{
    reader r = {.script = s, .at = text.data, .end = text.data + text.size};
    for (size_t i = 0; i < s->function_count; i++) {
        hsd_script_function *f = &s->functions[i];
        *f = (hsd_script_function){.at = f->at, .name = f->name};
    }
    s->inside = calloc(text.size / 64 + 2, sizeof *s->inside);
    if (s->inside == NULL) return hsd_fail_nomem(err, "words of a script");
    const hsd_status status = read_script(&r, err);
    free(r.open);
    return status;
}
