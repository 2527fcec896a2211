/*
 * A page's data with a tree of any size: the records that `--format ndjson --tree` writes, made up. Boxes are uneven as those of heaps are
 * (each child takes a part of what is left), a third came, a fifth is gone, the rest changed a little; the same for a count anywhere.
 *
 *      node icicle_tree.mjs [PLACES]           100,000 by default; NDJSON on standard output
 */
import { pathToFileURL } from "node:url";

const deepest = 40;

/* Numbers in [0, 1): a linear congruence of 32 bits, stirred. */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (((state ^ (state >>> 15)) * 0x2c1b3c6d) >>> 0) / 4294967296;
  };
}

/* Places in preorder: { depth, parent, before, after } with their own bytes. */
function placesOf(count, random) {
  const places = [{ depth: 0, parent: null, before: 0, after: 0 }];
  const path = [0];
  while (places.length < count) {
    const depth = 1 + Math.floor(random() * Math.min(path.length, deepest) * (random() < 0.25 ? random() : 1));
    path.length = depth;
    const bytes = Math.round(16 * 2 ** (random() * random() * 16));
    const fate = random();
    const before = fate < 0.33 ? 0 : bytes;
    const after = fate > 0.8 ? 0 : fate < 0.33 ? bytes : Math.round(bytes * (0.9 + random() * 0.2));
    path.push(places.length);
    places.push({ depth, parent: path[depth - 1], before, after });
  }
  return places;
}

function totalsOf(places) {
  const totals = places.map(({ before, after }) => ({ before, after, count: 1 }));
  for (let i = places.length - 1; i > 0; i--)
    for (const key of ["before", "after", "count"]) totals[places[i].parent][key] += totals[i][key];
  return totals;
}

const amount = (bytes) => ({ objects: Math.ceil(bytes / 48), bytes });
const amounts = ({ before, after }) => ({
  before: amount(before),
  after: amount(after),
  new: amount(Math.max(0, after - before)),
  freed: amount(Math.max(0, before - after)),
});

/** The lines of a page: about, captures, total, tree. */
export function linesOf(count) {
  const random = randomOf(20);
  const places = placesOf(count, random);
  const totals = totalsOf(places);
  const schema = "hsdiff.diff/1";
  const whole = amounts(totals[0]);
  const growth = { objects: whole.after.objects - whole.before.objects, bytes: whole.after.bytes - whole.before.bytes };
  const head = [
    { schema: "hsdiff.page/1", record: "page", kind: "diff", version: "0", generated_by: "bench/web", noise_bytes: 65536, made: [] },
    { schema, record: "capture", side: "before", path: "before.hs", complete: true, ...whole.before },
    { schema, record: "capture", side: "after", path: "after.hs", complete: true, ...whole.after },
    { schema, record: "total", identity_known: true, partial: false, summary: false, growth, ...whole },
  ];
  const tree = places.map(({ depth, parent, before, after }, row) => {
    const type = depth === 1 ? `root ${row}` : `com.example.shop.module${row % 97}.Class${row % 1009}`;
    const edge = depth < 2 ? "" : row % 5 === 0 ? "[*]" : `.field${row % 31}`;
    return {
      schema,
      record: "tree",
      row,
      depth,
      parent,
      is_root: depth === 1,
      edge,
      type: row === 0 ? "" : type,
      own: amounts({ before, after }),
      total: amounts(totals[row]),
    };
  });
  return [...head, ...tree].map((each) => JSON.stringify(each));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(`${linesOf(Number(process.argv[2] ?? 100000)).join("\n")}\n`);
