/*
 * The tables of what grew between two heaps. Columns of new, freed and kept are NULL where objects cannot be
 * recognised.
 */
#include "export/tables/tables.h"

/* clang-format off */
/* Read as SQL. */
#define AMOUNT(name) name "_objects INTEGER, " name "_bytes INTEGER"
#define CHANGE                                                                                                     \
"  " AMOUNT("before") ", " AMOUNT("after") ",\n"                                                                   \
"  growth_objects INTEGER NOT NULL, growth_bytes INTEGER NOT NULL, -- after - before\n"                            \
"  " AMOUNT("new") ", " AMOUNT("freed") ", " AMOUNT("kept") ", -- NULL = not known; kept: bytes as of before\n"    \
"  " AMOUNT("resized")

const hsd_table_text hsd_tables_of_growth[HSD_TABLE_COUNT - HSD_TABLE_OF_GROWTH] = {
#define ROW(table) [table - HSD_TABLE_OF_GROWTH]
ROW(HSD_TABLE_OF_GROWTH) = {.name = "growth", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE growth( -- one row: live objects of the two captures\n"
"  is_identity_known INTEGER NOT NULL, -- 0: counts alone\n"
"  is_by_structure INTEGER NOT NULL,   -- 1: objects were recognised by structure, not by their ids\n"
"  is_partial INTEGER NOT NULL,        -- 1: lower bounds\n"
"  why_no_holders TEXT,                -- NULL: holders and growth_places are there\n"
CHANGE "\n"
")"},
ROW(HSD_TABLE_OF_GROWTH_TYPES) = {.name = "growth_types", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE growth_types(\n"
"  rank INTEGER PRIMARY KEY,    -- by growth in bytes, largest first\n"
"  type TEXT NOT NULL,\n"
CHANGE ",\n"
"  retained_before INTEGER, retained_after INTEGER, -- NULL = not known\n"
"  unreached_before_objects INTEGER NOT NULL, unreached_before_bytes INTEGER NOT NULL,\n"
"  unreached_after_objects INTEGER NOT NULL, unreached_after_bytes INTEGER NOT NULL\n"
")"},
ROW(HSD_TABLE_OF_GROWTH_ROOTS) = {.name = "growth_roots", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE growth_roots(\n"
"  rank INTEGER PRIMARY KEY,\n"
"  root TEXT NOT NULL,          -- (shared): reached from several\n"
"  kind TEXT NOT NULL,\n"
"  is_shared INTEGER NOT NULL,\n"
CHANGE ",\n"
"  retained_before INTEGER, retained_after INTEGER,\n"
"  " AMOUNT("moved_in") ", " AMOUNT("moved_out") " -- kept objects that came from or went to another root\n"
")"},
ROW(HSD_TABLE_OF_HOLDERS) = {.name = "holders", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE holders( -- from what growth hangs: the nearest kept object, or a root\n"
"  holder INTEGER PRIMARY KEY,  -- by growth, largest first\n"
"  type TEXT,                   -- NULL = the root itself\n"
"  id INTEGER,                  -- objects.id; NULL = a root, or not known\n"
"  root TEXT NOT NULL,          -- where its path begins; (roots) = held by no one root alone\n"
"  root_kind TEXT,\n"
"  steps_left_out INTEGER NOT NULL, -- in the middle of a very long path\n"
"  " AMOUNT("new") ", " AMOUNT("freed") ",\n"
"  net_objects INTEGER NOT NULL, net_bytes INTEGER NOT NULL, -- new - freed\n"
"  resized_bytes INTEGER NOT NULL,\n"
"  growth_bytes INTEGER NOT NULL,   -- of all rows: the growth of the heap\n"
"  others INTEGER,              -- the last row may add up so many others; NULL = one holder\n"
"  threads INTEGER,             -- it stands for one in each of so many threads of a pool; NULL = for itself\n"
"  held_together_bytes INTEGER  -- of new: what several things hold together (holder_by); NULL = nothing\n"
")"},
ROW(HSD_TABLE_OF_HOLDER_STEPS) = {.name = "holder_steps", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE holder_steps( -- the path from its root to a holder\n"
"  holder INTEGER NOT NULL,\n"
"  step INTEGER NOT NULL,\n"
"  edge TEXT NOT NULL, type TEXT NOT NULL,\n"
"  repeats INTEGER NOT NULL,    -- so many steps of the same edge and type\n"
"  PRIMARY KEY(holder, step)\n"
") WITHOUT ROWID"},
ROW(HSD_TABLE_OF_HOLDER_TYPES) = {.name = "holder_types", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE holder_types( -- of what the growth of a holder is\n"
"  holder INTEGER NOT NULL,\n"
"  rank INTEGER NOT NULL,\n"
"  type TEXT NOT NULL,\n"
"  " AMOUNT("new") ", " AMOUNT("freed") ",\n"
"  net_objects INTEGER NOT NULL, net_bytes INTEGER NOT NULL,\n"
"  PRIMARY KEY(holder, rank)\n"
") WITHOUT ROWID"},
ROW(HSD_TABLE_OF_HOLDER_EDGES) = {.name = "holder_edges", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE holder_edges( -- through which references it hangs: a small tree in preorder\n"
"  holder INTEGER NOT NULL,\n"
"  row INTEGER NOT NULL,\n"
"  depth INTEGER NOT NULL,      -- 1 = below the holder itself\n"
"  edge TEXT NOT NULL, type TEXT NOT NULL,\n"
"  " AMOUNT("before") ", " AMOUNT("after") ", " AMOUNT("new") ", " AMOUNT("freed") ",\n"
"  growth_bytes INTEGER NOT NULL,\n"
"  PRIMARY KEY(holder, row)\n"
") WITHOUT ROWID"},
ROW(HSD_TABLE_OF_HOLDER_BY) = {.name = "holder_by", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE holder_by( -- several things in which the growth of a holder lies together; what several reach counts for each\n"
"  holder INTEGER NOT NULL,\n"
"  rank INTEGER NOT NULL,       -- by what they reach, most first\n"
"  type TEXT,                   -- NULL = the root itself\n"
"  root TEXT NOT NULL, root_kind TEXT,\n"
"  steps_left_out INTEGER NOT NULL,\n"
"  bytes INTEGER NOT NULL,      -- new ones of the holder that are reached from here\n"
"  growth_bytes INTEGER NOT NULL, -- what it holds alone, by its own row; 0 = it has none\n"
"  PRIMARY KEY(holder, rank)\n"
") WITHOUT ROWID"},
ROW(HSD_TABLE_OF_HOLDER_BY_STEPS) = {.name = "holder_by_steps", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE holder_by_steps( -- the path from its root to each of these\n"
"  holder INTEGER NOT NULL,\n"
"  rank INTEGER NOT NULL,\n"
"  step INTEGER NOT NULL,\n"
"  edge TEXT NOT NULL, type TEXT NOT NULL,\n"
"  repeats INTEGER NOT NULL,\n"
"  PRIMARY KEY(holder, rank, step)\n"
") WITHOUT ROWID"},
ROW(HSD_TABLE_OF_GROWTH_PLACES) = {.name = "growth_places", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE growth_places( -- the tree of type-paths of both heaps\n"
"  place INTEGER PRIMARY KEY,   -- in preorder; 0 = all\n"
"  parent INTEGER,              -- place; NULL for 0\n"
"  depth INTEGER NOT NULL,      -- 1 = roots\n"
"  is_root INTEGER NOT NULL,    -- 1: type is the name of a root\n"
"  edge TEXT NOT NULL, type TEXT NOT NULL,\n"
"  " AMOUNT("own_before") ", " AMOUNT("own_after") ", " AMOUNT("own_new") ", " AMOUNT("own_freed") ", -- in this very place\n"
"  " AMOUNT("before") ", " AMOUNT("after") ", " AMOUNT("new") ", " AMOUNT("freed") " -- and all below\n"
")"},
ROW(HSD_TABLE_OF_GROWTH_SITES) = {.name = "growth_sites", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE growth_sites( -- where types are allocated, the eight places of each that grew most; objects live or not\n"
"  growth_site INTEGER PRIMARY KEY,\n"
"  type TEXT NOT NULL,\n"
"  " AMOUNT("before") ", " AMOUNT("after") ",\n"
"  growth_objects INTEGER NOT NULL, growth_bytes INTEGER NOT NULL\n"
")"},
ROW(HSD_TABLE_OF_GROWTH_FRAMES) = {.name = "growth_frames", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE growth_frames( -- their stacks\n"
"  growth_site INTEGER NOT NULL,\n"
"  depth INTEGER NOT NULL,      -- 0 = innermost\n"
"  function TEXT, file TEXT, line INTEGER, col INTEGER,\n"
"  PRIMARY KEY(growth_site, depth)\n"
") WITHOUT ROWID"},
ROW(HSD_TABLE_OF_LOST) = {.name = "lost", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE lost( -- what no root reaches where nothing but the program frees: by what heads it and who allocated that\n"
"  lost INTEGER PRIMARY KEY,    -- by growth, largest first\n"
"  type TEXT,                   -- of the heads; NULL = others\n"
"  cycle TEXT,                  -- the types round a cycle that the heads are on; NULL = none\n"
"  place TEXT,                  -- who allocated the heads, as lost_frames has it; NULL = not known\n"
"  " AMOUNT("before") ", " AMOUNT("after") ", -- heads and all that hangs below them\n"
"  growth_objects INTEGER NOT NULL, growth_bytes INTEGER NOT NULL,\n"
"  before_heads INTEGER, after_heads INTEGER, -- NULL = not known: rows are of types alone\n"
"  others INTEGER               -- the last row may add up so many others; NULL = one row\n"
")"},
ROW(HSD_TABLE_OF_LOST_FRAMES) = {.name = "lost_frames", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE lost_frames( -- their stacks\n"
"  lost INTEGER NOT NULL,\n"
"  depth INTEGER NOT NULL,      -- 0 = innermost\n"
"  is_wanted INTEGER NOT NULL,  -- 1: who wanted the memory, and did not allocate it for others\n"
"  function TEXT, file TEXT, line INTEGER, col INTEGER,\n"
"  PRIMARY KEY(lost, depth)\n"
") WITHOUT ROWID"},
ROW(HSD_TABLE_OF_UNCOLLECTED) = {.name = "uncollected", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE uncollected( -- what no root reaches where a collector frees, and it did not yet\n"
"  rank INTEGER PRIMARY KEY,    -- by growth, largest first\n"
"  type TEXT,                   -- NULL = others\n"
"  " AMOUNT("before") ", " AMOUNT("after") ",\n"
"  growth_objects INTEGER NOT NULL, growth_bytes INTEGER NOT NULL,\n"
"  " AMOUNT("revived") ", -- of before: live after; NULL = not known\n"
"  others INTEGER               -- the last row may add up so many others; NULL = one type\n"
")"},
ROW(HSD_TABLE_OF_CHANGES) = {.name = "changes", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE changes( -- objects that came, went or changed; none where objects cannot be recognised\n"
"  change INTEGER PRIMARY KEY,\n"
"  id INTEGER NOT NULL,         -- objects.id; before_objects.id of what is freed\n"
"  type TEXT NOT NULL,\n"
"  what TEXT NOT NULL,          -- new, freed; reached, unreached: live on one side alone; resized\n"
"  before_state TEXT NOT NULL, after_state TEXT NOT NULL, -- absent, unreached, live\n"
"  before_bytes INTEGER NOT NULL, after_bytes INTEGER NOT NULL\n"
")"},
ROW(HSD_TABLE_OF_MATCHES) = {.name = "matches", .scope = HSD_OF_PAIR, .sql =
"CREATE TABLE matches( -- objects of the two captures that were recognised as one, live or not\n"
"  pair INTEGER PRIMARY KEY,\n"
"  before_id INTEGER NOT NULL,  -- before_objects.id\n"
"  after_id INTEGER NOT NULL,   -- objects.id\n"
"  rung TEXT NOT NULL           -- by what: exact, address; key, name, same-address, structure, place, order, changed, twins\n"
")"},
};
