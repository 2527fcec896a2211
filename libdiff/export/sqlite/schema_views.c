/*
 * The same for people: numbers with the names that they stand for.
 */
#include "export/sqlite/schema.h"

/* clang-format off */
/* Read as SQL. */
const hsd_view_text hsd_views[] = {
{.scope = HSD_OF_EACH, .sql =
"CREATE VIEW v_@objects AS -- objects with their names\n"
"SELECT o.object, o.id, printf('0x%x', o.id) AS address, t.name AS type, o.bytes, o.native_bytes, o.elements, n.text AS name,\n"
"  c.text AS category, o.site, o.age, o.content, (o.flags & 1) AS is_pseudo, (o.flags & 2) / 2 AS is_detached,\n"
"  (o.flags & 4) / 4 AS is_cut, o.value\n"
"FROM @objects o LEFT JOIN @types t ON t.type = o.type LEFT JOIN @strings n ON n.string = o.name\n"
"  LEFT JOIN @strings c ON c.string = o.category"},
{.scope = HSD_OF_EACH, .sql =
"CREATE VIEW v_@references AS -- references with the names of both ends; edge as hsdiff writes it\n"
"SELECT r.source, s.id AS source_id, st.name AS source_type, r.position,\n"
"  CASE l.kind WHEN 'element' THEN '[' || r.element || ']' WHEN 'key' THEN '[' || coalesce(n.text, '') || ']'\n"
"    WHEN 'internal' THEN '<' || coalesce(n.text, '') || '>' ELSE coalesce('.' || n.text, '') END AS edge,\n"
"  l.kind, coalesce(l.strength, 'strong') AS strength, r.target, t.id AS target_id, tt.name AS target_type\n"
"FROM @refs r LEFT JOIN @labels l ON l.label = r.label LEFT JOIN @strings n ON n.string = l.name\n"
"  JOIN @objects s ON s.object = r.source LEFT JOIN @types st ON st.type = s.type\n"
"  JOIN @objects t ON t.object = r.target LEFT JOIN @types tt ON tt.type = t.type"},
{.scope = HSD_OF_EACH, .sql =
"CREATE VIEW v_@roots AS -- roots with their names, threads and frames\n"
"SELECT r.root, r.kind, coalesce(n.text, r.kind) AS name, r.target, o.id AS target_id, t.name AS target_type, r.thread,\n"
"  h.text AS thread_name, r.depth, f.text AS function, r.is_secondary\n"
"FROM @roots r LEFT JOIN @strings n ON n.string = r.name JOIN @objects o ON o.object = r.target\n"
"  LEFT JOIN @types t ON t.type = o.type LEFT JOIN @threads d ON d.thread = r.thread LEFT JOIN @strings h ON h.string = d.name\n"
"  LEFT JOIN @frames a ON a.thread = r.thread AND a.depth = r.depth LEFT JOIN @strings f ON f.string = a.function"},
{.scope = HSD_OF_EACH, .sql =
"CREATE VIEW v_@sites AS -- frames of allocation stacks with their names\n"
"SELECT s.site, s.parent, f.text AS function, p.text AS file, s.line, s.col\n"
"FROM @sites s LEFT JOIN @strings f ON f.string = s.function LEFT JOIN @strings p ON p.string = s.file"},
{.scope = HSD_OF_EACH, .sql =
"CREATE VIEW v_@frames AS -- stacks of threads with their names\n"
"SELECT a.thread, n.text AS thread_name, a.depth, f.text AS function, p.text AS file, a.line\n"
"FROM @frames a LEFT JOIN @threads t ON t.thread = a.thread LEFT JOIN @strings n ON n.string = t.name\n"
"  LEFT JOIN @strings f ON f.string = a.function LEFT JOIN @strings p ON p.string = a.file"},
{.scope = HSD_OF_FILE, .sql =
"CREATE VIEW v_retained AS -- what each live object retains, with its type\n"
"SELECT o.object, r.id, t.name AS type, r.bytes, r.retained_bytes, r.retained_objects, r.dominator\n"
"FROM retained r LEFT JOIN objects o ON o.id = r.id LEFT JOIN types t ON t.type = o.type"},
{.scope = HSD_OF_PAIR, .sql =
"CREATE VIEW v_holders AS -- holders with their paths in one text\n"
"SELECT h.holder, h.type, h.id, h.root, h.net_objects, h.net_bytes, h.growth_bytes, h.root || coalesce((SELECT group_concat(\n"
"  ' > ' || ltrim(s.edge || ' ') || s.type || CASE WHEN s.repeats > 1 THEN ' x ' || s.repeats ELSE '' END, '')\n"
"  FROM (SELECT * FROM holder_steps WHERE holder = h.holder ORDER BY step) s), '') AS path, h.others\n"
"FROM holders h"},
{.sql = NULL},
};
