/*
 * One pass from left to right over the name. What is open, a `<` of a template or a `(` or `{` or `[`, is on a stack;
 * what is between is copied. When a template closes, its name and its arguments stand at the end of the output, already
 * spelled, and the tables below say what becomes of them:
 *
 *      std::map<int, Session, std::less<int>, std::allocator<…      the `>` comes
 *      ^begin   ^0   ^1       ^2              ^3                    arguments 2 and 3 are the defaults: cut there
 *
 * See spelling.h.
 */
#include "symbols/spelling.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

enum { MOST_DEPTH = 100, MOST_ARGUMENTS = 512, NAME_BYTES = 128 };

typedef struct opened {
    char bracket;   /* that opened it */
    size_t begin;   /* in the output: of the template's name */
    size_t open;    /* of the bracket */
    unsigned first; /* argument, in `arguments` */
} opened;

typedef struct spelling {
    hsd_buffer *out;
    size_t base; /* where the output begins */
    opened stack[MOST_DEPTH];
    unsigned depth;
    size_t arguments[MOST_ARGUMENTS]; /* where each begins, of all that are open */
    unsigned argument_count;
    bool is_odd; /* brackets that do not match, or too many */
} spelling;

/* ---- pieces of the output ---- */

static hsd_bytes piece(const spelling *s, size_t begin, size_t end)
{
    return (hsd_bytes){s->out->data + begin, end - begin};
}

static bool is_text(hsd_bytes bytes, const char *text)
{
    return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

static bool is_name_byte(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':' ||
           c == '~' || c == '$' || c >= 0x80;
}

static hsd_bytes argument(const spelling *s, const opened *top, unsigned i)
{
    const unsigned at = top->first + i;
    /* ", " is between */
    const size_t end = at + 1 < s->argument_count ? s->arguments[at + 1] - 2 : s->out->size;
    return piece(s, s->arguments[at], end);
}

/* ---- what a closed template becomes ---- */

/* "std::less<int>" for the first argument int. */
static bool is_of_first(hsd_bytes given, const char *name, hsd_bytes first)
{
    const size_t size = strlen(name);
    return given.size == size + first.size + 2 && hsd_bytes_begin(given, name) && given.data[size] == '<' &&
           given.data[given.size - 1] == '>' && memcmp(given.data + size + 1, first.data, first.size) == 0;
}

static bool is_default(hsd_bytes given, hsd_bytes first)
{
    static const char *const of_first[] = {
        "std::less",  "std::hash",   "std::equal_to",     "std::default_delete",
        "std::deque", "std::vector", "std::regex_traits", "absl::container_internal::StringHash"};
    static const char *const of_any[] = {"std::allocator<",
                                         "std::char_traits<",
                                         "std::default_delete<",
                                         "absl::hash_internal::Hash<",
                                         "absl::container_internal::StringHash",
                                         "absl::container_internal::StringEq",
                                         "absl::container_internal::StringHashEq",
                                         "std::pmr::polymorphic_allocator<"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(of_first); i++)
        if (is_of_first(given, of_first[i], first)) return true;
    for (size_t i = 0; i < HSD_ARRAY_LEN(of_any); i++)
        if (hsd_bytes_begin(given, of_any[i])) return true;
    return false;
}

/* How many arguments a programmer writes at least; 0 = a template that is not known, of which only allocators are left
 * out. */
static unsigned least_of(hsd_bytes name)
{
    static const struct {
        const char *name;
        unsigned least;
    } known[] = {
        {"std::vector", 1},
        {"std::deque", 1},
        {"std::list", 1},
        {"std::forward_list", 1},
        {"std::set", 1},
        {"std::multiset", 1},
        {"std::unordered_set", 1},
        {"std::unordered_multiset", 1},
        {"std::map", 2},
        {"std::multimap", 2},
        {"std::unordered_map", 2},
        {"std::unordered_multimap", 2},
        {"std::basic_string", 1},
        {"std::basic_string_view", 1},
        {"std::unique_ptr", 1},
        {"std::queue", 1},
        {"std::stack", 1},
        {"std::priority_queue", 1},
        {"std::basic_istream", 1},
        {"std::basic_ostream", 1},
        {"std::basic_iostream", 1},
        {"std::basic_ifstream", 1},
        {"std::basic_ofstream", 1},
        {"std::basic_fstream", 1},
        {"std::basic_stringstream", 1},
        {"std::basic_istringstream", 1},
        {"std::basic_ostringstream", 1},
        {"std::basic_stringbuf", 1},
        {"std::basic_filebuf", 1},
        {"std::basic_streambuf", 1},
        {"std::basic_ios", 1},
        {"std::basic_regex", 1},
        {"absl::flat_hash_map", 2},
        {"absl::node_hash_map", 2},
        {"absl::flat_hash_set", 1},
        {"absl::node_hash_set", 1},
        {"absl::btree_map", 2},
        {"absl::btree_set", 1},
        {"absl::InlinedVector", 2},
    };
    for (size_t i = 0; i < HSD_ARRAY_LEN(known); i++)
        if (is_text(name, known[i].name)) return known[i].least;
    return 0;
}

static void cut_arguments(spelling *s, const opened *top, unsigned count)
{
    const unsigned kept = s->argument_count - top->first;
    if (count >= kept) return;
    s->out->size = s->arguments[top->first + count] - 2;
    s->argument_count = top->first + count;
}

static void leave_out_defaults(spelling *s, const opened *top)
{
    const unsigned least = least_of(piece(s, top->begin, top->open));
    unsigned count = s->argument_count - top->first;
    while (count > (least == 0 ? 1 : least)) {
        const hsd_bytes last = argument(s, top, count - 1);
        if (least == 0 ? !hsd_bytes_begin(last, "std::allocator<") : !is_default(last, argument(s, top, 0))) break;
        cut_arguments(s, top, --count);
    }
}

/* Names of their own for templates of a character: std::string, std::wstring, std::ostream. */
static hsd_status name_of_character(spelling *s, const opened *top, bool *is_done, hsd_error *err)
{
    static const struct {
        const char *argument, *prefix;
    } characters[] = {{"char", ""}, {"wchar_t", "w"}, {"char8_t", "u8"}, {"char16_t", "u16"}, {"char32_t", "u32"}};
    char rest[NAME_BYTES];
    static const char basic[] = "std::basic_";
    const size_t skipped = sizeof basic - 1;
    const hsd_bytes name = piece(s, top->begin, top->open);
    if (!hsd_bytes_begin(name, basic) || name.size - skipped >= sizeof rest || s->argument_count - top->first != 1)
        return HSD_OK;
    for (size_t i = 0; i < HSD_ARRAY_LEN(characters); i++) {
        if (!is_text(argument(s, top, 0), characters[i].argument)) continue;
        const size_t size = name.size - skipped;
        memcpy(rest, name.data + skipped, size);
        s->out->size = top->begin;
        HSD_TRY(hsd_buffer_append(s->out, "std::", 5, err));
        HSD_TRY(hsd_buffer_append(s->out, characters[i].prefix, strlen(characters[i].prefix), err));
        *is_done = true;
        return hsd_buffer_append(s->out, rest, size, err);
    }
    return HSD_OK;
}

/* What libraries put an element into. `of_pair` is the container where the element is a pair of a constant key and a
 * value. */
typedef struct holder {
    const char *name, *pair, *before, *of_pair, *other;
    bool is_pointer; /* the argument is one: to what is meant */
} holder;

static const holder holders[] = {
    {"std::_Rb_tree_node", "std::pair<", "node of ", "std::map<", "std::set<", false},
    {"std::__detail::_Hash_node", "std::pair<", "node of ", "std::unordered_map<", "std::unordered_set<", false},
    {"std::__tree_node", "std::__value_type<", "node of ", "std::map<", "std::set<", false},
    {"std::__hash_node", "std::__hash_value_type<", "node of ", "std::unordered_map<", "std::unordered_set<", false},
    {"std::_List_node", NULL, "node of ", NULL, "std::list<", false},
    {"std::__list_node", NULL, "node of ", NULL, "std::list<", false},
    {"std::_Fwd_list_node", NULL, "node of ", NULL, "std::forward_list<", false},
    {"std::__forward_list_node", NULL, "node of ", NULL, "std::forward_list<", false},
    {"std::_Sp_counted_ptr_inplace", NULL, "", NULL, "std::make_shared<", false},
    {"std::__shared_ptr_emplace", NULL, "", NULL, "std::make_shared<", false},
    {"std::_Sp_counted_ptr", NULL, "counts of ", NULL, "std::shared_ptr<", true},
    {"std::_Sp_counted_deleter", NULL, "counts of ", NULL, "std::shared_ptr<", true},
    {"std::__shared_ptr_pointer", NULL, "counts of ", NULL, "std::shared_ptr<", true},
};

/* "K const, V" of "std::pair<K const, V>": without the const. */
static hsd_status append_pair(spelling *s, hsd_bytes inside, hsd_error *err)
{
    static const char constant[] = " const";
    const size_t skipped = sizeof constant - 1;
    unsigned depth = 0;
    size_t comma = 0;
    while (comma < inside.size && (depth > 0 || inside.data[comma] != ',')) {
        if (strchr("<({[", inside.data[comma]) != NULL)
            depth++;
        else if (strchr(">)}]", inside.data[comma]) != NULL && depth > 0)
            depth--;
        comma++;
    }
    const size_t key =
        comma > skipped && memcmp(inside.data + comma - skipped, constant, skipped) == 0 ? comma - skipped : comma;
    HSD_TRY(hsd_buffer_append(s->out, inside.data, key, err));
    return hsd_buffer_append(s->out, inside.data + comma, inside.size - comma, err);
}

static hsd_status put_holder(spelling *s, const opened *top, const holder *h, hsd_bytes element, hsd_error *err)
{
    const bool is_pair = h->pair != NULL && hsd_bytes_begin(element, h->pair) && element.data[element.size - 1] == '>';
    const char *container = is_pair ? h->of_pair : h->other;
    s->out->size = top->begin;
    HSD_TRY(hsd_buffer_append(s->out, h->before, strlen(h->before), err));
    HSD_TRY(hsd_buffer_append(s->out, container, strlen(container), err));
    if (!is_pair) return hsd_buffer_append(s->out, element.data, element.size, err);
    const size_t skipped = strlen(h->pair);
    return append_pair(s, (hsd_bytes){element.data + skipped, element.size - skipped - 1}, err);
}

static hsd_status name_of_holder(spelling *s, const opened *top, hsd_error *err)
{
    static const char constant[] = " const";
    const hsd_bytes name = piece(s, top->begin, top->open);
    for (size_t i = 0; i < HSD_ARRAY_LEN(holders); i++) {
        if (!is_text(name, holders[i].name)) continue;
        hsd_bytes element = argument(s, top, 0);
        if (element.size == 0) return HSD_OK;
        if (holders[i].is_pointer && element.data[element.size - 1] == '*') element.size--;
        if (element.size > sizeof constant - 1 && memcmp(element.data + element.size - 6, constant, 6) == 0)
            element.size -= 6;
        uint8_t *copy = malloc(element.size + 1); /* it stands where the new name will */
        if (copy == NULL) return hsd_fail_nomem(err, "a name");
        memcpy(copy, element.data, element.size);
        const hsd_status status = put_holder(s, top, &holders[i], (hsd_bytes){copy, element.size}, err);
        free(copy);
        return status;
    }
    return HSD_OK;
}

static hsd_status close_template(spelling *s, const opened *top, hsd_error *err)
{
    bool is_done = false;
    leave_out_defaults(s, top);
    HSD_TRY(name_of_character(s, top, &is_done, err));
    if (is_done) return HSD_OK;
    HSD_TRY(name_of_holder(s, top, err));
    return hsd_buffer_append(s->out, ">", 1, err);
}

/* ---- brackets ---- */

static void open_bracket(spelling *s, char bracket)
{
    size_t begin = s->out->size;
    if (s->depth == MOST_DEPTH || s->argument_count == MOST_ARGUMENTS) {
        s->is_odd = true;
        return;
    }
    while (begin > s->base && is_name_byte(s->out->data[begin - 1]))
        begin--;
    s->stack[s->depth++] =
        (opened){.bracket = bracket, .begin = begin, .open = s->out->size, .first = s->argument_count};
    if (bracket == '<') s->arguments[s->argument_count++] = s->out->size + 1;
}

static hsd_status close_bracket(spelling *s, char bracket, hsd_error *err)
{
    static const char opens[] = "<({[", closes[] = ">)}]";
    const char wanted = opens[strchr(closes, bracket) - closes];
    if (s->depth == 0 || s->stack[s->depth - 1].bracket != wanted) {
        s->is_odd = true;
        return HSD_OK;
    }
    const opened top = s->stack[--s->depth];
    const hsd_status status =
        bracket == '>' ? close_template(s, &top, err) : hsd_buffer_append(s->out, &bracket, 1, err);
    s->argument_count = top.first;
    return status;
}

static char open_now(const spelling *s) { return s->depth == 0 ? '\0' : s->stack[s->depth - 1].bracket; }

/* ---- words ---- */

/* Bytes of an operator's name, "operator<<", from its end on: its brackets open nothing. */
static size_t operator_bytes(const char *rest)
{
    static const char *const operators[] = {
        "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(operators); i++)
        if (strncmp(rest, operators[i], strlen(operators[i])) == 0) return strlen(operators[i]);
    return 0;
}

static bool ends_in(const spelling *s, const char *word)
{
    const size_t size = strlen(word), have = s->out->size - s->base;
    if (have < size || memcmp(s->out->data + s->out->size - size, word, size) != 0) return false;
    return have == size || !is_name_byte(s->out->data[s->out->size - size - 1]) ||
           s->out->data[s->out->size - size - 1] == ':';
}

/* What is left out, or said shorter: how many bytes of the name it takes, 0 = nothing of the kind is here. */
static size_t left_out(const spelling *s, const char *at, const char **instead)
{
    static const struct {
        const char *behind, *name;
    } hidden[] = {{"std::", "__cxx11::"}, {"std::", "__1::"}, {"std::", "__ndk1::"},
                  {"std::", "__2::"},     {"std::", "_V2::"}, {"filesystem::", "__cxx11::"},
                  {"std::", "__n4861::"}};
    static const char anonymous[] = "(anonymous namespace)", abi[] = "[abi:";
    *instead = "";
    for (size_t i = 0; i < HSD_ARRAY_LEN(hidden); i++)
        if (strncmp(at, hidden[i].name, strlen(hidden[i].name)) == 0 && ends_in(s, hidden[i].behind))
            return strlen(hidden[i].name);
    if (strncmp(at, "lts_2", 5) == 0 && ends_in(s, "absl::")) {
        const size_t digits = 4 + strspn(at + 4, "0123456789");
        return strncmp(at + digits, "::", 2) == 0 ? digits + 2 : 0;
    }
    if (strncmp(at, anonymous, sizeof anonymous - 1) == 0) {
        *instead = "(anon)";
        return sizeof anonymous - 1;
    }
    return strncmp(at, abi, sizeof abi - 1) == 0 && strchr(at, ']') != NULL ? (size_t)(strchr(at, ']') - at) + 1 : 0;
}

/* One step; *taken is how much of the name it took. */
static hsd_status step_spelling(spelling *s, const char *at, size_t *taken, hsd_error *err)
{
    const char *instead;
    const size_t skipped = left_out(s, at, &instead);
    const size_t word = ends_in(s, "operator") ? operator_bytes(at) : 0;
    *taken = skipped > 0 ? skipped : word > 0 ? word : 1;
    if (skipped > 0) return hsd_buffer_append(s->out, instead, strlen(instead), err);
    if (word > 0) return hsd_buffer_append(s->out, at, word, err);
    if (*at == ' ' && at[1] == '>' && open_now(s) == '<') return HSD_OK;
    if (*at == '<' && (s->out->size == s->base || !is_name_byte(s->out->data[s->out->size - 1])) && open_now(s) == '(')
        return hsd_buffer_append(s->out, at, 1, err); /* a comparison of an expression */
    const bool is_arrow = *at == '>' && s->out->size > s->base && s->out->data[s->out->size - 1] == '-';
    /* "->", or likewise */
    if (*at == '>' && (is_arrow || open_now(s) != '<')) return hsd_buffer_append(s->out, at, 1, err);
    if (*at == ',' && open_now(s) == '<') {
        *taken = 1 + strspn(at + 1, " ");
        if (s->argument_count == MOST_ARGUMENTS)
            s->is_odd = true;
        else
            s->arguments[s->argument_count++] = s->out->size + 2;
        return hsd_buffer_append(s->out, ", ", 2, err);
    }
    if (strchr("<({[", *at) != NULL)
        open_bracket(s, *at);
    else if (strchr(">)}]", *at) != NULL)
        return close_bracket(s, *at, err);
    return hsd_buffer_append(s->out, at, 1, err);
}

hsd_status hsd_spell(hsd_buffer *out, const char *name, hsd_error *err)
{
    spelling *s = NULL;
    hsd_status status = HSD_OK;
    const size_t base = out->size;
    if (strchr(name, '<') == NULL && strchr(name, '(') == NULL && strstr(name, "::__") == NULL &&
        strchr(name, '[') == NULL)
        return hsd_buffer_append(out, name, strlen(name), err);
    s = calloc(1, sizeof *s);
    if (s == NULL) return hsd_fail_nomem(err, "a name");
    s->out = out;
    s->base = base;
    for (size_t taken, at = 0; status == HSD_OK && name[at] != '\0' && !s->is_odd; at += taken)
        status = step_spelling(s, name + at, &taken, err);
    const bool is_whole = !s->is_odd && s->depth == 0;
    free(s);
    if (status != HSD_OK || is_whole) return status;
    out->size = base;
    return hsd_buffer_append(out, name, strlen(name), err);
}
