/*
 * look: into one heap, or into one of a pair. What is asked for decides which function of look.h answers.
 */
#include <stdlib.h>
#include <string.h>

#include "look.h"
#include "tools.h"

/* In the order of `functions`. */
#define WHATS "types|roots|holders|objects|object|paths|referrers|referents|dominators|dominated"

typedef hsd_status (*look_fn)(const mcp_look *look, hsd_error *err);

static const look_fn functions[] = {mcp_look_types,      mcp_look_roots,    mcp_look_holders,   mcp_look_objects,
                                    mcp_look_object,     mcp_look_paths,    mcp_look_referrers, mcp_look_referents,
                                    mcp_look_dominators, mcp_look_dominated};

/* ---- which object */

static hsd_status refuse_id(const char *word, hsd_error *err)
{
    hsd_fail(err, HSD_E_MISUSE, "'%.40s' is no id: an object is 0x1f or 31, a root is root:3", word);
    hsd_error_set_hint(err, "look with \"what\":\"objects\" and a type lists objects with their ids");
    return HSD_E_MISUSE;
}

static bool parse_number(const char *digits, int base, uint64_t *out)
{
    static const char hex[] = "0123456789abcdefABCDEF", decimal[] = "0123456789";
    const size_t size = strlen(digits);
    if (size == 0 || size > (base == 16 ? 16u : 19u) || strspn(digits, base == 16 ? hex : decimal) != size)
        return false;
    *out = strtoull(digits, NULL, base);
    return true;
}

/* "0x1f", "@31", "31", "root:3" */
static hsd_status find_ref(mcp_look *look, const char *word, hsd_error *err)
{
    uint64_t number;
    if (strncmp(word, "root:", 5) == 0) {
        if (!parse_number(word + 5, 10, &number) || number >= HSD_BROWSE_ALL) return refuse_id(word, err);
        look->ref.node = number;
        look->has_ref = true;
        return HSD_OK;
    }
    const bool is_hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
    if (!parse_number(is_hex ? word + 2 : word + (word[0] == '@'), is_hex ? 16 : 10, &look->id))
        return refuse_id(word, err);
    look->is_id = true;
    look->has_ref = true;
    return hsd_browse_find(look->browse, look->side, look->id, &look->ref, err);
}

/* An id may come as a number, too. */
static hsd_status take_id(mcp_look *look, hsd_error *err)
{
    const mcp_json *value = mcp_json_member(look->call->message, look->call->arguments, "id");
    const char *word;
    char digits[24];
    if (value && value->kind == MCP_JSON_NUMBER && value->size < 20) {
        memcpy(digits, value->text, value->size);
        digits[value->size] = 0;
        return find_ref(look, digits, err);
    }
    HSD_TRY(mcp_take_text(look->call, "id", false, &word, err));
    return word ? find_ref(look, word, err) : HSD_OK;
}

/* ---- which heap */

static hsd_status open_heap(mcp_look *look, bool partial, bool of_pair, hsd_error *err)
{
    mcp_heaps *heaps = &look->call->state->heaps;
    mcp_heap_view view;
    unsigned side = 1;
    HSD_TRY(mcp_take_choice(look->call, "side", "before|after", &side, err));
    HSD_TRY(mcp_heaps_open(heaps, look->paths, look->path_count, partial, !of_pair, &view, err));
    HSD_TRY(mcp_heaps_browse(heaps, view.heap, err));
    look->heap = view.heap;
    look->browse = view.heap->browse;
    look->side = look->path_count == 2 ? side : view.side;
    return HSD_OK;
}

static hsd_status need_browsing(const mcp_look *look, bool is_holders, hsd_error *err)
{
    const char *why = is_holders ? NULL : hsd_browse_why_not(look->browse, look->side);
    if (!why) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED, "cannot be looked into: %s", why);
    hsd_error_set_file(err, look->paths[look->path_count - 1]);
    hsd_error_set_hint(err, "compare still says what grew; sql has its tables");
    return HSD_E_UNSUPPORTED;
}

static hsd_status take_wishes(mcp_look *look, unsigned *what, bool *partial, hsd_error *err)
{
    look->count = MCP_LOOK_COUNT;
    HSD_TRY(mcp_take_texts(look->call, "captures", 1, 2, look->paths, &look->path_count, err));
    HSD_TRY(mcp_take_choice(look->call, "what", WHATS, what, err));
    HSD_TRY(mcp_take_text(look->call, "type", false, &look->type, err));
    HSD_TRY(mcp_take_text(look->call, "text", false, &look->text, err));
    HSD_TRY(mcp_take_choice(look->call, "order", "retained|bytes|objects|name", &look->order, err));
    HSD_TRY(mcp_take_choice(look->call, "state", "any|kept|new|freed", &look->state, err)); /* as hsd_browse_state */
    HSD_TRY(mcp_take_count(look->call, "from", UINT32_MAX, &look->from, err));
    HSD_TRY(mcp_take_count(look->call, "count", MCP_LOOK_MOST, &look->count, err));
    return mcp_take_flag(look->call, "partial", partial, err);
}

static const char *const arguments[] = {"captures", "what",  "side", "type",  "id",      "text",
                                        "order",    "state", "from", "count", "partial", NULL};

static hsd_status run_look(mcp_call *call, hsd_error *err)
{
    mcp_look look = {.call = call};
    unsigned what = 0;
    bool partial = false;
    HSD_TRY(take_wishes(&look, &what, &partial, err));
    const bool is_holders = functions[what] == mcp_look_holders;
    HSD_TRY(open_heap(&look, partial, is_holders, err));
    HSD_TRY(need_browsing(&look, is_holders, err));
    HSD_TRY(take_id(&look, err));
    return functions[what](&look, err);
}

const mcp_tool mcp_tool_look = {
    .name = "look",
    .title = "Look into a heap",
    .description =
        "Looks into a capture, or into one of a pair (with both, objects say whether they are new). what: types; "
        "roots; "
        "holders (of a pair: what holds the growth); objects (of a type, largest first, with ids); object (of an id: "
        "its path from a root, who refers to it, what it keeps alive, where it was allocated); paths (all ways to a "
        "type, or to an id); referrers, referents, dominators, dominated (of an id). After compare: objects of the "
        "type "
        "that grew, then object of one that is new: its path names the field in the code to look at.",
    .schema =
        "\"captures\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":1,\"maxItems\":2,"
        "\"description\":\"one file, or before and after\"},"
        "\"what\":{\"type\":\"string\",\"enum\":[\"types\",\"roots\",\"holders\",\"objects\",\"object\",\"paths\","
        "\"referrers\",\"referents\",\"dominators\",\"dominated\"],\"default\":\"types\"},"
        "\"type\":{\"type\":\"string\",\"description\":\"of objects the exact name; of paths also a pattern with *\"},"
        "\"id\":{\"type\":\"string\",\"description\":\"an object: 0x1f; a root: root:3\"},"
        "\"text\":{\"type\":\"string\",\"description\":\"of types: a part of the name\"},"
        "\"order\":{\"type\":\"string\",\"enum\":[\"retained\",\"bytes\",\"objects\",\"name\"],\"description\":\"of "
        "types\"},"
        "\"state\":{\"type\":\"string\",\"enum\":[\"any\",\"kept\",\"new\",\"freed\"],\"description\":\"of "
        "objects of a pair: only those\"},"
        "\"side\":{\"type\":\"string\",\"enum\":[\"before\",\"after\"],\"default\":\"after\"},"
        "\"from\":{\"type\":\"integer\",\"minimum\":0},\"count\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":200,"
        "\"default\":20},"
        "\"partial\":{\"type\":\"boolean\"}},"
        "\"required\":[\"captures\"]",
    .arguments = arguments,
    .next = "look {\"captures\":[\"before.hs\",\"after.hs\"],\"what\":\"types\"}; list_captures {} lists files",
    .run = run_look,
};
