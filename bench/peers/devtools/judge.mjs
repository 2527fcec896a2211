// What the DevTools Comparison view computes for two heap snapshots, as JSON.
//
//   node [--max-old-space-size=MIB] judge.mjs FOLDER BEFORE AFTER [-o OUT.json]
//
// FOLDER is where setup.sh put the bundle. The two snapshots are loaded by
// DevTools' own loader, each with a second worker thread as in the browser,
// and compared as the Memory panel does: the interface definitions of the
// later snapshot are applied to the earlier one, which hands its aggregates to
// calculateSnapshotDiff. Class keys ("script,line,column,Name", or ",Name"
// without a location) are kept in "keys"; "classes" sums them by bare name,
// which is what a comparison with another tool needs.
//
// OUT gets, for each class, counts and self sizes before and after, added and
// removed counts and sizes, and the sorted ids added and removed; beside them
// "ids": which ids are really in one file only, and which kept ones DevTools
// calls added or removed all the same (see RULES.md, 5); and milliseconds for
// each step and the process's peak resident memory up to the comparison.
// A second pass ("plain") leaves the inferred interfaces away, so that every
// plain object is "Object": that is the constructor name V8 itself wrote.
import * as fs from 'node:fs';
import {isMain, load} from './load.mjs';

function compare(before, after, interfaces) {
  const base = before.aggregatesForDiff(interfaces);
  if (interfaces === '[]') {
    after.applyInterfaceDefinitions([]);
  }
  const now = after.getAggregatesByClassKey(true, 'allObjects');
  return {base, now, diff: after.calculateSnapshotDiff(interfaces === '[]' ? 2 : 1, base)};
}

// Sum by bare class name: everything after the third comma of a located key,
// everything after the first of one without (which starts with a comma).
function className(key) {
  const found = key.startsWith(',') ? key.slice(1) : key.replace(/^\d+,\d+,\d+,/, '');
  return found;
}

function table({base, now, diff}) {
  const classes = new Map();
  const row = key => {
    const name = className(key);
    if (!classes.has(name)) {
      classes.set(name, {
        keys: 0, countBefore: 0, sizeBefore: 0, countAfter: 0, sizeAfter: 0,
        addedCount: 0, removedCount: 0, addedSize: 0, removedSize: 0, addedIds: [], removedIds: [],
      });
    }
    return classes.get(name);
  };
  for (const key of Object.keys(base)) {
    const r = row(key);
    r.keys++;
    r.countBefore += base[key].ids.length;
    r.sizeBefore += base[key].selfSizes.reduce((sum, size) => sum + size, 0);
  }
  for (const key of Object.keys(now)) {
    const r = row(key);
    r.keys += key in base ? 0 : 1;
    r.countAfter += now[key].count;
    r.sizeAfter += now[key].self;
  }
  for (const key of Object.keys(diff)) {
    const r = row(key), d = diff[key];
    r.addedCount += d.addedCount;
    r.removedCount += d.removedCount;
    r.addedSize += d.addedSize;
    r.removedSize += d.removedSize;
    for (const id of d.addedIds) { r.addedIds.push(id); }
    for (const id of d.deletedIds) { r.removedIds.push(id); }
  }
  for (const r of classes.values()) {
    r.addedIds.sort((a, b) => a - b);
    r.removedIds.sort((a, b) => a - b);
  }
  return Object.fromEntries([...classes].sort((a, b) => (a[0] < b[0] ? -1 : 1)));
}

function allIds(snapshot) {
  const ids = new Set();
  for (let i = snapshot.nodeIdOffset; i < snapshot.nodes.length; i += snapshot.nodeFieldCount) {
    ids.add(snapshot.nodes.getValue(i));
  }
  return ids;
}

function idSets(before, after, classes) {
  const old = allIds(before), now = allIds(after);
  const sorted = list => list.sort((a, b) => a - b);
  const rows = Object.values(classes);
  return {
    new: sorted([...now].filter(id => !old.has(id))),
    freed: sorted([...old].filter(id => !now.has(id))),
    addedKept: sorted(rows.flatMap(row => row.addedIds.filter(id => old.has(id)))),
    removedKept: sorted(rows.flatMap(row => row.removedIds.filter(id => now.has(id)))),
  };
}

async function main() {
  const [beforeFile, afterFile] = process.argv.slice(3, 5);
  const out = process.argv[5] === '-o' ? process.argv[6] : undefined;
  const timings = {};
  const timed = async (name, work) => {
    const start = performance.now();
    const result = await work();
    timings[name] = Math.round(performance.now() - start);
    return result;
  };
  const before = await timed('load_before_ms', () => load(beforeFile));
  const after = await timed('load_after_ms', () => load(afterFile));
  const found = await timed('diff_ms', () => compare(before, after, after.interfaceDefinitions()));
  timings.total_ms = timings.load_before_ms + timings.load_after_ms + timings.diff_ms;
  const peak_rss_kib = process.resourceUsage().maxRSS;
  const result = {timings, peak_rss_kib};
  if (out) {
    result.nodes = {before: before.nodeCount, after: after.nodeCount};
    result.interfaces = table(found);
    result.plain = table(compare(before, after, '[]'));
    result.ids = idSets(before, after, result.plain);
    fs.writeFileSync(out, JSON.stringify(result));
  }
  console.log(JSON.stringify({timings, peak_rss_kib}));
  process.exit(0);
}

if (isMain) {
  await main();
}
