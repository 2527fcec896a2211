// What every planted leak shares: warm up, snapshot, leak, snapshot, truth.
//
// A case calls plant({...}) with a grow function and the classes that it plants; the counts in truth.json come from
// the case's own counters, never from the snapshot. Run as: node --expose-gc CASE.js FOLDER
'use strict';
const fs = require('fs');
const path = require('path');
const v8 = require('v8');

const folder = process.argv[2];
if (!folder || typeof gc !== 'function') {
  console.error('usage: node --expose-gc CASE.js FOLDER');
  process.exit(2);
}

// Snapshots run a full collection themselves; two before it let weak callbacks and finalizers settle, so that nothing of
// the warm-up is left to die between the two snapshots. The pause lets the optimizing compiler finish what the loops
// before set off: while it works it holds handles on the very containers it compiles against, and each of those would
// be a second root.
async function snapshot(name) {
  await new Promise(resolve => setTimeout(resolve, 100));
  gc(); gc();
  v8.writeHeapSnapshot(path.join(folder, name));
}

// plant({root, warmUp, leak, counts, growing, shrinking, holders}): root is the name that growth by root should show, warmUp
// and leak change the heap, counts() gives the live objects of each planted class. holders: {root, path, types, items}, the first
// of them the one that the report must name first (with root: null any of them may be): `path` leads from the root to the
// container, "Object, .head ListNode, .next ListNode x2500", and "" is the root itself; `types` are the planted classes whose
// growth it holds (all growing ones); `items` is the growth edge below it, by which they hang.
async function plant(leak) {
  fs.mkdirSync(folder, {recursive: true});
  leak.warmUp();
  const before = leak.counts();
  await snapshot('before.heapsnapshot');
  const {fresh, freed} = leak.leak();
  const after = leak.counts();
  await snapshot('after.heapsnapshot');
  const types = {};
  for (const name of Object.keys(after)) {
    types[name] = {before: before[name], after: after[name], new: fresh[name] ?? 0, freed: (freed ?? {})[name] ?? 0};
    if (types[name].after - types[name].before !== types[name].new - types[name].freed) {
      throw new Error('the case miscounts ' + name);
    }
  }
  const holders = leak.holders.map(holder => ({
    root: holder.root ?? leak.root, path: holder.path, types: holder.types ?? leak.growing, items: holder.items ?? null,
  }));
  const truth = {
    runtime: 'node', version: process.version, before: 'before.heapsnapshot', after: 'after.heapsnapshot',
    root: leak.root, growing: leak.growing ?? [], shrinking: leak.shrinking ?? [], holders, types,
  };
  fs.writeFileSync(path.join(folder, 'truth.json'), JSON.stringify(truth, null, 1));
}

module.exports = {plant};
