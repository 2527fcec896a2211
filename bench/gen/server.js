// A heap of a chosen number of nodes, like a server's, twice: with known truth.
//
//   node --expose-gc --max-old-space-size=16000 server.js --nodes N --out FOLDER
//
// Writes FOLDER/a.heapsnapshot, FOLDER/b.heapsnapshot and FOLDER/truth.json and
// prints the truth. If the three are there already for the same N, nothing is made
// anew. Between the two snapshots 2% of the sessions end, 4% begin, some leave an
// audit event behind that is never removed (the leak), and the cache of templates
// is emptied by half (a type that shrinks).
//
// One session is a Session with an own name string, a cart array of Item objects, a
// closure with its context and, for one in sixteen, a Map of headers: about
// thirteen nodes. Most carts are short and a few are long (a geometric tail), so that
// fan-out is skewed as in a real heap. Everything hangs from four globals.
'use strict';
const fs = require('fs');
const path = require('path');
const v8 = require('v8');

class Session {
  constructor(id, name, cart) { this.id = id; this.name = name; this.cart = cart; this.touched = id + 0.5; }
}
class Item { constructor(sku, count) { this.sku = sku; this.count = count; } }
class AuditEvent { constructor(who, text) { this.who = who; this.text = text; } }
class Template { constructor(n) { this.name = 'template-' + n; this.parts = [n, n + 1, {n}]; } }

const options = {nodes: 1_050_000, out: '.'};
for (let i = 2; i + 1 < process.argv.length; i += 2) {
  options[process.argv[i].replace(/^--/, '')] = process.argv[i + 1];
}
const wanted = Number(options.nodes);
if (!Number.isSafeInteger(wanted) || wanted < 100_000 || typeof gc !== 'function') {
  console.error('usage: node --expose-gc server.js --nodes N --out FOLDER   (N of 100000 or more)');
  process.exit(2);
}
const file = name => path.join(options.out, name);

// Nodes of an idle node process, and of one session with its share of the rest: measured with node 20 from a million
// nodes on, and a little low, so that at least N nodes come out there.
const BASE_NODES = 40_000;
const NODES_PER_SESSION = 13.7;

let state = 0x2545f491;
function random(below) {
  state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
  return (state >>> 0) % below;
}

const counts = {Session: 0, Item: 0, AuditEvent: 0, Template: 0};
global.sessions = new Map();
global.audit = [];
global.templates = new Map();
global.listeners = new Map();

function cartLength() {
  let length = random(3);
  while (length < 512 && random(4) === 0) length += 2;
  return length;
}

function begin(id) {
  const cart = [];
  for (let i = cartLength(); i > 0; i--) cart.push(new Item('sku-' + random(1000), i + 0.25));
  counts.Item += cart.length;
  counts.Session++;
  const session = new Session(id, Buffer.from('user number ' + id).toString('latin1'), cart);
  if (id % 16 === 0) session.headers = new Map([['agent', 'a' + id], ['from', 'b' + id]]);
  global.listeners.set(id, () => session.id + id);
  global.sessions.set('session:' + id, session);
}

function end(id) {
  const key = 'session:' + id;
  const session = global.sessions.get(key);
  if (!session) return;
  counts.Item -= session.cart.length;
  counts.Session--;
  global.sessions.delete(key);
  global.listeners.delete(id);
}

function snapshot(name) {
  gc(); gc();
  const start = Date.now();
  // A name of its own until whole, so that a killed run leaves nothing to mistake for a result.
  v8.writeHeapSnapshot(file(name + '.part'));
  fs.renameSync(file(name + '.part'), file(name));
  return {classes: {...counts}, milliseconds: Date.now() - start, bytes: fs.statSync(file(name)).size};
}

function main() {
  fs.mkdirSync(options.out, {recursive: true});
  try {
    const known = JSON.parse(fs.readFileSync(file('truth.json'), 'utf8'));
    if (known.wanted === wanted && fs.existsSync(file('a.heapsnapshot')) && fs.existsSync(file('b.heapsnapshot'))) {
      console.log(JSON.stringify(known));
      return;
    }
  } catch { /* not made yet */ }
  const count = Math.ceil((wanted - BASE_NODES) / NODES_PER_SESSION);
  for (let id = 0; id < count; id++) begin(id);
  for (let n = 0; n < Math.max(100, count >> 7); n++) global.templates.set(n, new Template(n));
  counts.Template = global.templates.size;
  const before = snapshot('a.heapsnapshot');

  const freed = new Set();
  while (freed.size < Math.floor(count / 50)) freed.add(random(count));
  const itemsBefore = counts.Item;
  for (const id of freed) end(id);
  const itemsFreed = itemsBefore - counts.Item;
  for (let id = count; id < count + Math.floor(count / 25); id++) {
    begin(id);
    if (id % 4 === 0) global.audit.push(new AuditEvent(id, 'login ' + id));
  }
  counts.AuditEvent = global.audit.length;
  for (let n = 0; n < counts.Template >> 1; n++) global.templates.delete(n);
  counts.Template = global.templates.size;
  const after = snapshot('b.heapsnapshot');

  const truth = {
    wanted, node: process.version, before, after,
    new: {Session: Math.floor(count / 25), AuditEvent: counts.AuditEvent, Template: 0,
          Item: after.classes.Item - before.classes.Item + itemsFreed},
    freed: {Session: freed.size, Item: itemsFreed, AuditEvent: 0,
            Template: before.classes.Template - after.classes.Template},
    roots: {Session: 'global.sessions', AuditEvent: 'global.audit', Template: 'global.templates'},
  };
  fs.writeFileSync(file('truth.json'), JSON.stringify(truth));
  console.log(JSON.stringify(truth));
}

main();
