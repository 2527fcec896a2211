/*
 * The tables of one heap, as text: what a capture records, and what the engine says of it. Comments are part of the
 * text and stay in the database.
 */
#include "export/tables/tables.h"

/* clang-format off */
/* Read as SQL. */
const hsd_table_text hsd_tables_of_heap[HSD_TABLE_OF_GROWTH] = {
[HSD_TABLE_OF_TYPES] = {.name = "types", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @types( -- one row a type name\n"
"  type INTEGER PRIMARY KEY,    -- a number, the same for one name in both captures of a pair; 0 = objects whose type was not told\n"
"  name TEXT NOT NULL,\n"
"  objects INTEGER,             -- captured objects of it, live or not; NULL where the capture was cut off before its totals\n"
"  bytes INTEGER,               -- their shallow sizes\n"
"  native_bytes INTEGER,        -- outside the heap, owned by them\n"
"  is_internal INTEGER NOT NULL,-- 1: helper of a container (hash node, backing array)\n"
"  is_part INTEGER NOT NULL,    -- 1: its bytes count as those of its only owner\n"
"  is_code INTEGER NOT NULL     -- 1: code and metadata of the program\n"
")"},
[HSD_TABLE_OF_STRINGS] = {.name = "strings", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @strings( -- texts that other tables name by number\n"
"  string INTEGER PRIMARY KEY,\n"
"  text TEXT NOT NULL           -- a BLOB where it is no UTF-8\n"
")"},
[HSD_TABLE_OF_LABELS] = {.name = "labels", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @labels( -- what references are called and how they hold\n"
"  label INTEGER PRIMARY KEY,\n"
"  kind TEXT NOT NULL,          -- field, element, variable, static, key, value, internal, class\n"
"  strength TEXT NOT NULL,      -- strong, soft (counted apart), weak (never retains)\n"
"  name INTEGER,                -- string\n"
"  is_named_root INTEGER NOT NULL, -- 1: starts an owner of its own\n"
"  is_fold INTEGER NOT NULL     -- 1: leads into the insides of a container; paths leave it out\n"
")"},
[HSD_TABLE_OF_SITES] = {.name = "sites", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @sites( -- stack frames of allocations; a stack is a site and its parents\n"
"  site INTEGER PRIMARY KEY,\n"
"  parent INTEGER,              -- the frame that called this one; NULL = outermost\n"
"  function INTEGER,            -- string\n"
"  file INTEGER,                -- string\n"
"  line INTEGER,\n"
"  col INTEGER\n"
")"},
[HSD_TABLE_OF_THREADS] = {.name = "threads", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @threads(\n"
"  thread INTEGER PRIMARY KEY,\n"
"  name INTEGER                 -- string\n"
")"},
[HSD_TABLE_OF_FRAMES] = {.name = "frames", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @frames( -- stacks of threads\n"
"  thread INTEGER NOT NULL,\n"
"  depth INTEGER NOT NULL,      -- 0 = innermost\n"
"  function INTEGER,            -- string\n"
"  file INTEGER,                -- string\n"
"  line INTEGER,\n"
"  PRIMARY KEY(thread, depth)\n"
") WITHOUT ROWID"},
[HSD_TABLE_OF_METRICS] = {.name = "metrics", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @metrics( -- what the runtime said of itself\n"
"  metric INTEGER PRIMARY KEY,  -- 0, 1, 2 ...\n"
"  name TEXT NOT NULL,          -- heap.used\n"
"  unit TEXT,                   -- bytes\n"
"  value INTEGER NOT NULL\n"
")"},
[HSD_TABLE_OF_LOSSES] = {.name = "losses", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @losses( -- what could not be captured\n"
"  loss INTEGER PRIMARY KEY,\n"
"  what TEXT NOT NULL,\n"
"  count INTEGER NOT NULL\n"
")"},
[HSD_TABLE_OF_OBJECTS] = {.name = "objects", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @objects(\n"
"  object INTEGER PRIMARY KEY,  -- its place in the capture, from 0: what refs and roots name\n"
"  id INTEGER NOT NULL,         -- as the runtime has it: an address or a number (captures.identity); from 2^63 on negative\n"
"  type INTEGER NOT NULL,       -- types.type\n"
"  bytes INTEGER NOT NULL,      -- shallow size\n"
"  native_bytes INTEGER,        -- outside the heap, owned; NULL = none\n"
"  elements INTEGER,            -- length of an array or container; NULL = none\n"
"  site INTEGER,                -- where it was allocated: sites.site\n"
"  age INTEGER,                 -- on the scale of the runtime\n"
"  name INTEGER,                -- string: of a function, a class ...\n"
"  category INTEGER,            -- string: second axis of types\n"
"  content INTEGER,             -- hash of its primitive content: equal ones have equal content\n"
"  flags INTEGER NOT NULL,      -- 1 = a node of the graph that is no object, 2 = detached, 4 = cut: its size is a lower bound\n"
"  value TEXT                   -- preview of what is in it, where the capture has values; a BLOB where it is no UTF-8\n"
")"},
[HSD_TABLE_OF_REFS] = {.name = "refs", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @refs( -- references\n"
"  source INTEGER NOT NULL,     -- object\n"
"  position INTEGER NOT NULL,   -- 0, 1, 2 ... of that object\n"
"  target INTEGER NOT NULL,     -- object\n"
"  label INTEGER,               -- labels.label; NULL = strong and without a name\n"
"  element INTEGER NOT NULL,    -- index, of labels of kind element\n"
"  PRIMARY KEY(source, position)\n"
") WITHOUT ROWID"},
[HSD_TABLE_OF_ROOTS] = {.name = "roots", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @roots(\n"
"  root INTEGER PRIMARY KEY,    -- 0, 1, 2 ...\n"
"  kind TEXT NOT NULL,          -- unknown, global, static, stack, thread, handle, class, interned, finalizer, monitor, runtime, register\n"
"  name INTEGER,                -- string; NULL = called by its kind\n"
"  target INTEGER NOT NULL,     -- object\n"
"  thread INTEGER,              -- threads.thread\n"
"  depth INTEGER,               -- frames.depth in that thread\n"
"  is_secondary INTEGER NOT NULL-- 1: owns nothing that another root reaches\n"
")"},
[HSD_TABLE_OF_SITE_TOTALS] = {.name = "site_totals", .scope = HSD_OF_EACH, .sql =
"CREATE TABLE @site_totals( -- where objects were allocated that stand in the totals of types alone\n"
"  site_total INTEGER PRIMARY KEY, -- 0, 1, 2 ...\n"
"  type INTEGER NOT NULL,       -- types.type\n"
"  site INTEGER NOT NULL,       -- sites.site\n"
"  objects INTEGER NOT NULL, bytes INTEGER NOT NULL\n"
")"},
[HSD_TABLE_OF_CAPTURES] = {.name = "captures", .scope = HSD_OF_FILE, .sql =
"CREATE TABLE captures( -- one row a capture\n"
"  side TEXT PRIMARY KEY,       -- after, and of a pair before\n"
"  producer TEXT, runtime TEXT, process_name TEXT,\n"
"  source_format TEXT,          -- what it was imported from; NULL = captured live\n"
"  pid INTEGER,\n"
"  started_unix_ns INTEGER, taken_unix_ns INTEGER,\n"
"  capture_id TEXT NOT NULL,    -- hexadecimal\n"
"  domain TEXT NOT NULL,        -- the process instance; equal ones are one process\n"
"  identity TEXT NOT NULL,      -- what ids say: exact (never reused), address, moving, none\n"
"  pointer_bytes INTEGER,\n"
"  is_complete INTEGER NOT NULL,\n"
"  incomplete_reason TEXT,\n"
"  is_salvaged INTEGER NOT NULL, is_baseline INTEGER NOT NULL,\n"
"  is_collected INTEGER NOT NULL, is_sampled INTEGER NOT NULL, has_values INTEGER NOT NULL,\n"
"  has_no_roots INTEGER NOT NULL, has_no_references INTEGER NOT NULL, is_conservative INTEGER NOT NULL,\n"
"  objects INTEGER NOT NULL,    -- as recorded; pseudo ones included\n"
"  pseudo_objects INTEGER NOT NULL,\n"
"  refs INTEGER NOT NULL,       -- as recorded: more than rows of refs where some lead to no object\n"
"  roots INTEGER NOT NULL,      -- likewise\n"
"  bytes INTEGER NOT NULL, native_bytes INTEGER NOT NULL,\n"
"  damaged_blocks INTEGER NOT NULL,\n"
"  lost INTEGER NOT NULL        -- sum of losses\n"
") WITHOUT ROWID"},
[HSD_TABLE_OF_WARNINGS] = {.name = "warnings", .scope = HSD_OF_FILE, .sql =
"CREATE TABLE warnings( -- what a reader must know, most important first\n"
"  warning INTEGER PRIMARY KEY,\n"
"  text TEXT NOT NULL\n"
")"},
[HSD_TABLE_OF_HEAP_TYPES] = {.name = "heap_types", .scope = HSD_OF_FILE, .sql =
"CREATE TABLE heap_types( -- the heap (of a pair: after) by type, parts counted as their owners\n"
"  rank INTEGER PRIMARY KEY,    -- by live bytes, largest first\n"
"  type TEXT NOT NULL,\n"
"  live_objects INTEGER NOT NULL, live_bytes INTEGER NOT NULL,\n"
"  unreached_objects INTEGER NOT NULL, unreached_bytes INTEGER NOT NULL,\n"
"  retained_bytes INTEGER       -- of these objects and of all that they dominate, each byte once; NULL = not known\n"
")"},
[HSD_TABLE_OF_HEAP_ROOTS] = {.name = "heap_roots", .scope = HSD_OF_FILE, .sql =
"CREATE TABLE heap_roots( -- the heap by the one root from which alone objects are reached\n"
"  rank INTEGER PRIMARY KEY,\n"
"  root TEXT NOT NULL,          -- (shared): reached from several\n"
"  kind TEXT NOT NULL,\n"
"  is_shared INTEGER NOT NULL,\n"
"  live_objects INTEGER NOT NULL, live_bytes INTEGER NOT NULL,\n"
"  retained_bytes INTEGER\n"
")"},
[HSD_TABLE_OF_PLACES] = {.name = "places", .scope = HSD_OF_FILE, .sql =
"CREATE TABLE places( -- the tree of type-paths: objects that hang from one root by one path of references and types\n"
"  place INTEGER PRIMARY KEY,   -- in preorder; 0 = the heap\n"
"  parent INTEGER,              -- place; NULL for 0\n"
"  depth INTEGER NOT NULL,      -- 1 = roots\n"
"  is_root INTEGER NOT NULL,    -- 1: type is the name of a root\n"
"  edge TEXT NOT NULL,          -- the reference that leads here; '' = no one reference\n"
"  type TEXT NOT NULL,\n"
"  own_objects INTEGER NOT NULL, own_bytes INTEGER NOT NULL, -- in this very place\n"
"  objects INTEGER NOT NULL, bytes INTEGER NOT NULL          -- and all below\n"
")"},
[HSD_TABLE_OF_RETAINED] = {.name = "retained", .scope = HSD_OF_FILE, .sql =
"CREATE TABLE retained( -- every live object that counts (of a pair: after); objects without a row are unreached, or parts\n"
"  id INTEGER PRIMARY KEY,      -- objects.id\n"
"  bytes INTEGER NOT NULL,      -- its own, and those of its parts\n"
"  retained_bytes INTEGER NOT NULL,\n"
"  retained_objects INTEGER NOT NULL, -- itself included\n"
"  dominator INTEGER            -- id of the nearest object through which alone it is reached; NULL = a root, or several\n"
")"},
};
