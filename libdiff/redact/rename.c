/* Texts become pseudonyms. See rename.h. */
#include "redact/rename.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "base/fail.h"
#include "redact/public.h"

#define MOST_READABLE       UINT32_C(50000)     /* names that are listed … */
#define MOST_READABLE_BYTES (UINT64_C(8) << 20) /* … and the memory for them */
#define SHORT_DIGITS        2                   /* numbers that say nothing */
#define SHAPE_DIGITS        5                   /* in brackets, behind a `$` */
#define NUMBER_DIGITS       12                  /* a line, a size */
#define VERSION_CHARS       24

const char hsd_pseudonym_alphabet[HSD_PSEUDONYM_LETTERS + 1] = "bcdefghjklmnpqrstvwxyz";

/* ---- bytes ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_small(char c) { return c >= 'a' && c <= 'z'; }

/* Of an identifier: whatever is no punctuation of ASCII. */
static bool is_of_name(char c)
{
    return is_small(c) || is_capital(c) || is_digit(c) || c == '_' || (unsigned char)c < ' ' ||
           (unsigned char)c >= 0x7f;
}

static size_t name_end(hsd_text text, size_t at)
{
    while (at < text.size && is_of_name(text.data[at]))
        at++;
    return at;
}

static bool has_byte(hsd_text text, size_t at, char c) { return at < text.size && text.data[at] == c; }

/* How long the joint of two identifiers is that belong to one qualified name: `.`, `$`, `/`, `::`. */
static size_t joint_size(hsd_text text, size_t at)
{
    if (has_byte(text, at, '.') || has_byte(text, at, '$') || has_byte(text, at, '/')) return 1;
    return has_byte(text, at, ':') && has_byte(text, at + 1, ':') ? 2 : 0;
}

static size_t chain_end(hsd_text text, size_t at)
{
    for (size_t end = name_end(text, at);;) {
        const size_t joint = joint_size(text, end), next = name_end(text, end + joint);
        if (joint == 0 || next == end + joint) return end;
        end = next;
    }
}

bool hsd_pattern_fits(const char *pattern, hsd_text name)
{
    const char *star = NULL;
    size_t at = 0, from = 0;
    while (at < name.size) {
        if (*pattern == '*') {
            star = ++pattern;
            from = at;
        } else if (*pattern != '\0' && (*pattern == '?' || *pattern == name.data[at])) {
            pattern++;
            at++;
        } else if (star != NULL) {
            pattern = star;
            at = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* ---- what came of an identifier ---- */

static hsd_status put_bytes(hsd_renamer *r, const char *bytes, size_t size, hsd_error *err)
{
    return size == 0 ? HSD_OK : hsd_buffer_append(&r->out, bytes, size, err);
}

static hsd_status list_readable(hsd_renamer *r, hsd_redact_why why, hsd_text name, hsd_error *err)
{
    uint32_t number;
    const char mark = (char)('0' + (int)why);
    r->name.size = 0;
    HSD_TRY(hsd_buffer_append(&r->name, &mark, 1, err));
    HSD_TRY(hsd_buffer_append(&r->name, name.data, name.size, err));
    const hsd_bytes marked = {r->name.data, r->name.size};
    number = hsd_names_find(&r->readable, marked);
    if (number == HSD_NAME_NONE) {
        if (r->readable.count >= MOST_READABLE || hsd_names_memory(&r->readable) + marked.size > MOST_READABLE_BYTES) {
            r->readable_more++;
            return HSD_OK;
        }
        if (r->readable_counts == NULL) r->readable_counts = calloc(MOST_READABLE, sizeof *r->readable_counts);
        if (r->readable_counts == NULL) return hsd_fail_nomem(err, "the list of readable names");
        HSD_TRY(hsd_names_put(&r->readable, marked, &number, err));
    }
    r->readable_counts[number]++;
    return HSD_OK;
}

static hsd_status keep_name(hsd_renamer *r, hsd_redact_why why, hsd_text name, hsd_error *err)
{
    r->kept[why]++;
    if (r->lists_readable && why != HSD_REDACT_NUMBER) HSD_TRY(list_readable(r, why, name, err));
    return put_bytes(r, name.data, name.size, err);
}

static hsd_status replace_name(hsd_renamer *r, hsd_text name, hsd_error *err)
{
    uint8_t hash[HSD_HMAC_BYTES];
    char pseudonym[HSD_PSEUDONYM_CHARS];
    uint64_t bits = 0;
    hsd_hmac_of(&r->hmac, name.data, name.size, hash);
    for (unsigned i = 0; i < 8; i++)
        bits = bits << 8 | hash[i];
    pseudonym[0] = is_capital(name.data[0]) ? 'K' : 'k';
    for (unsigned i = HSD_PSEUDONYM_CHARS - 1; i > 0; i--, bits /= HSD_PSEUDONYM_LETTERS)
        pseudonym[i] = hsd_pseudonym_alphabet[bits % HSD_PSEUDONYM_LETTERS];
    r->replaced++;
    if (r->told != NULL) HSD_TRY(r->told(r->told_context, name, pseudonym, err));
    return put_bytes(r, pseudonym, sizeof pseudonym, err);
}

static bool is_asked_for(const hsd_renamer *r, hsd_text name)
{
    for (size_t i = 0; i < r->keep_count; i++)
        if (hsd_pattern_fits(r->keep[i], name)) return true;
    return false;
}

/* ---- one text ---- */

typedef struct renaming {
    hsd_text text;
    size_t at;
    bool allocates; /* the text, as a function */
    bool is_place;  /* a file stands right in front: numbers behind colons are its lines */
} renaming;

static hsd_text part_of(const renaming *x, size_t from, size_t end)
{
    return (hsd_text){x->text.data + from, end - from};
}

static bool is_number(hsd_text name)
{
    for (size_t i = 0; i < name.size; i++)
        if (!is_digit(name.data[i])) return false;
    return name.size > 0;
}

/* 0x1af0, as it stands behind a `+`. */
static bool is_offset(hsd_text name)
{
    if (name.size < 3 || name.size > 18 || name.data[0] != '0' || name.data[1] != 'x') return false;
    for (size_t i = 2; i < name.size; i++)
        if (!is_digit(name.data[i]) && !(name.data[i] >= 'a' && name.data[i] <= 'f')) return false;
    return true;
}

/* " B" and the end or " at ", behind a size. */
static bool is_size(const renaming *x, size_t end)
{
    const hsd_text rest = part_of(x, end, x->text.size);
    return rest.size >= 2 && memcmp(rest.data, " B", 2) == 0 &&
           (rest.size == 2 || (rest.size > 6 && memcmp(rest.data + 2, " at ", 4) == 0));
}

static bool is_of_shape(const renaming *x, hsd_text name, size_t end)
{
    const size_t from = x->at;
    const char before = from > 0 ? x->text.data[from - 1] : '\0';
    if (before == '+' && is_offset(name)) return true;
    if (!is_number(name) || name.size > NUMBER_DIGITS) return false;
    if (name.size <= SHORT_DIGITS) return true;
    if (before == ':' && x->is_place) return true;
    if (is_size(x, end)) return from == 0 || before == '=';
    if (name.size > SHAPE_DIGITS) return false;
    return (before == '[' && has_byte(x->text, end, ']')) ||
           (before == '$' && from > 1 && is_of_name(x->text.data[from - 2]));
}

/* "js" of "shop.js:12", at the end of a name of a file. */
static bool is_ending(const renaming *x, hsd_text name, size_t end)
{
    if (x->at < 2 || x->text.data[x->at - 1] != '.' || !is_of_name(x->text.data[x->at - 2])) return false;
    return (end == x->text.size || strchr(":)]> ,\"'+{", x->text.data[end]) != NULL) && hsd_public_ending(name);
}

/* The function of C that a text is, where it allocates; what stands behind it (".part.0") is no part of it. */
static hsd_status put_allocator(hsd_renamer *r, hsd_text name, hsd_error *err)
{
    static const char behind[] = "_malloc";
    char plain[128];
    if (name.size < sizeof plain && memchr(name.data, '\0', name.size) == NULL) {
        memcpy(plain, name.data, name.size);
        plain[name.size] = '\0';
        if (hsd_allocator_is_plain(plain)) return keep_name(r, HSD_REDACT_PUBLIC, name, err);
    }
    HSD_TRY(replace_name(r, name, err));
    return put_bytes(r, behind, sizeof behind - 1, err);
}

static hsd_status put_identifier(hsd_renamer *r, renaming *x, size_t end, hsd_error *err)
{
    const hsd_text name = part_of(x, x->at, end);
    const bool is_ended = is_ending(x, name, end);
    if (is_asked_for(r, name)) return keep_name(r, HSD_REDACT_ASKED, name, err);
    if (x->allocates && x->at == 0) return put_allocator(r, name, err);
    if (is_of_shape(x, name, end)) return keep_name(r, HSD_REDACT_NUMBER, name, err);
    x->is_place = is_ended;
    return is_ended || hsd_public_word(name) ? keep_name(r, HSD_REDACT_PUBLIC, name, err) : replace_name(r, name, err);
}

/* The qualified name that begins here, where all of it stays; false leaves it to its identifiers. */
static bool is_kept_chain(hsd_renamer *r, hsd_text chain, hsd_redact_why *why)
{
    *why = HSD_REDACT_ASKED;
    if (is_asked_for(r, chain)) return true;
    *why = HSD_REDACT_PUBLIC;
    return hsd_public_begins(chain);
}

static hsd_status put_names(hsd_renamer *r, renaming *x, hsd_error *err)
{
    hsd_redact_why why;
    const size_t chain = chain_end(x->text, x->at);
    if (is_kept_chain(r, part_of(x, x->at, chain), &why)) {
        const hsd_status status = keep_name(r, why, part_of(x, x->at, chain), err);
        x->at = chain;
        x->is_place = false;
        return status;
    }
    while (x->at < chain) {
        const size_t end = name_end(x->text, x->at), joint = end < chain ? joint_size(x->text, end) : 0;
        HSD_TRY(put_identifier(r, x, end, err));
        HSD_TRY(put_bytes(r, x->text.data + end, joint, err));
        x->at = end + joint;
    }
    return HSD_OK;
}

static size_t count_of_names(hsd_text text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.size; at++)
        count += is_of_name(text.data[at]) && (at == 0 || !is_of_name(text.data[at - 1]));
    return count;
}

static hsd_status put_text(hsd_renamer *r, renaming *x, hsd_error *err)
{
    if (x->text.size - x->at > HSD_RENAME_MOST_BYTES || count_of_names(x->text) > HSD_RENAME_MOST_NAMES) {
        const hsd_text rest = part_of(x, x->at, x->text.size);
        if (rest.size == 0) return HSD_OK;
        return x->allocates && x->at == 0 ? put_allocator(r, rest, err) : replace_name(r, rest, err);
    }
    while (x->at < x->text.size) {
        const char c = x->text.data[x->at];
        if (is_of_name(c)) {
            HSD_TRY(put_names(r, x, err));
            continue;
        }
        if (c != ':' && c != '>') x->is_place = false; /* <vector.hpp>:12 */
        HSD_TRY(put_bytes(r, &c, 1, err));
        x->at++;
    }
    return HSD_OK;
}

/* "system / Context", "system / Code / JSEntry (builtin)": types of V8's own. Others have a name of the program behind
 * ("system / Script / shop.js"). */
static bool is_of_v8(hsd_text text)
{
    static const char begin[] = "system / ", built_in[] = " (builtin)";
    const size_t first = sizeof begin - 1, last = sizeof built_in - 1;
    size_t at = first;
    if (text.size <= first || memcmp(text.data, begin, first) != 0) return false;
    while (at < text.size && (is_small(text.data[at]) || is_capital(text.data[at])))
        at++;
    if (at == text.size) return true;
    if (text.size <= first + last || memcmp(text.data + text.size - last, built_in, last) != 0) return false;
    for (; at < text.size - last; at++)
        if (!is_of_name(text.data[at]) && text.data[at] != ' ' && text.data[at] != '/') return false;
    return true;
}

static hsd_status begin_text(hsd_renamer *r, hsd_text text, renaming *x, hsd_error *err)
{
    *x = (renaming){.text = text};
    hsd_buffer_clear(&r->out);
    hsd_buffer_clear(&r->name);
    HSD_TRY(hsd_buffer_reserve(&r->out, 1, err));
    HSD_TRY(hsd_buffer_append(&r->name, text.data, text.size, err));
    return hsd_buffer_append(&r->name, "", 1, err);
}

hsd_status hsd_rename_text(hsd_renamer *r, hsd_text text, hsd_text *out, hsd_error *err)
{
    renaming x;
    *out = text;
    if (text.size == 0) return HSD_OK;
    HSD_TRY(begin_text(r, text, &x, err));
    if (hsd_public_phrase(text) || is_of_v8(text)) return keep_name(r, HSD_REDACT_PUBLIC, text, err);
    x.allocates = hsd_function_allocates((const char *)r->name.data);
    x.at = x.allocates ? hsd_allocator_prefix((const char *)r->name.data) : 0;
    if (x.at > 0) HSD_TRY(keep_name(r, HSD_REDACT_PUBLIC, part_of(&x, 0, x.at), err));
    HSD_TRY(put_text(r, &x, err));
    *out = (hsd_text){(const char *)r->out.data, r->out.size};
    return HSD_OK;
}

hsd_status hsd_rename_whole(hsd_renamer *r, hsd_text text, hsd_text *out, hsd_error *err)
{
    hsd_buffer_clear(&r->out);
    *out = text;
    if (text.size == 0) return HSD_OK;
    HSD_TRY(replace_name(r, text, err));
    *out = (hsd_text){(const char *)r->out.data, r->out.size};
    return HSD_OK;
}

uint64_t hsd_rename_content(const hsd_renamer *r, uint64_t content)
{
    if (content == 0) return 0;
    const uint64_t keyed = hsd_siphash_u64(r->content_key, content);
    return keyed == 0 ? 1 : keyed;
}

/* ---- producers, runtimes, formats ---- */

static size_t word_end(hsd_text text, size_t at)
{
    while (at < text.size && text.data[at] != ' ')
        at++;
    return at;
}

/* 17.0.15+6-LTS, v18.20.4, 1.19.8: digits and dots, and a few letters behind. */
static bool is_version(hsd_text word)
{
    size_t at = word.size > 1 && (word.data[0] == 'v' || word.data[0] == 'V'), letters = 0;
    if (at >= word.size || !is_digit(word.data[at]) || word.size > VERSION_CHARS) return false;
    for (; at < word.size; at++) {
        const char c = word.data[at];
        if (is_small(c) || is_capital(c)) letters++;
        if (!is_small(c) && !is_capital(c) && !is_digit(c) && memchr(".+-_", c, 4) == NULL) return false;
    }
    return letters <= 8;
}

/* "go1.19.8" */
static bool is_version_of_go(hsd_text word)
{
    return word.size > 2 && memcmp(word.data, "go", 2) == 0 && is_version((hsd_text){word.data + 2, word.size - 2});
}

static hsd_status put_product_word(hsd_renamer *r, hsd_text text, size_t at, size_t end, bool follows, hsd_error *err)
{
    renaming x = {.text = {text.data, end}, .at = at};
    const hsd_text word = part_of(&x, at, end);
    if (hsd_public_product(word) || is_version_of_go(word) || (follows && is_version(word)))
        return keep_name(r, HSD_REDACT_PUBLIC, word, err);
    return put_text(r, &x, err);
}

hsd_status hsd_rename_product(hsd_renamer *r, hsd_text text, hsd_text *out, hsd_error *err)
{
    renaming x;
    bool follows = false;
    *out = text;
    if (text.size == 0) return HSD_OK;
    HSD_TRY(begin_text(r, text, &x, err));
    while (x.at < text.size) {
        const size_t end = word_end(text, x.at);
        HSD_TRY(put_product_word(r, text, x.at, end, follows, err));
        follows = follows || hsd_public_product(part_of(&x, x.at, end));
        HSD_TRY(put_bytes(r, " ", end < text.size, err));
        x.at = end < text.size ? end + 1 : end;
    }
    *out = (hsd_text){(const char *)r->out.data, r->out.size};
    return HSD_OK;
}

/* ---- */

void hsd_renamer_init(hsd_renamer *r, const hsd_redact_key *key, const char *const *keep, size_t keep_count)
{
    static const char names[] = "hsdiff redact 1: names", contents[] = "hsdiff redact 1: contents";
    uint8_t own[HSD_HMAC_BYTES];
    hsd_hmac hmac;
    *r = (hsd_renamer){.keep = keep, .keep_count = keep_count};
    hsd_hmac_init(&hmac, key->bytes, sizeof key->bytes);
    hsd_hmac_of(&hmac, contents, sizeof contents - 1, own);
    memcpy(r->content_key, own, sizeof r->content_key);
    hsd_hmac_of(&hmac, names, sizeof names - 1, own);
    hsd_hmac_init(&r->hmac, own, sizeof own);
    hsd_forget_secret(own, sizeof own);
    hsd_forget_secret(&hmac, sizeof hmac);
}

void hsd_renamer_release(hsd_renamer *r)
{
    hsd_forget_secret(&r->hmac, sizeof r->hmac);
    hsd_forget_secret(r->content_key, sizeof r->content_key);
    free(r->readable_counts);
    hsd_names_release(&r->readable);
    hsd_buffer_release(&r->out);
    hsd_buffer_release(&r->name);
}
