// node shop.js SECRETS: what a program reads, in every place of V8's heap that data can take. The keys look like names. See test_canaries.py.
const fs = require('fs');
const secrets = fs.readFileSync(process.argv[2], 'utf8').trim().split('\n').map(text => (/x/.test(text), text)); // no slices

class Customer { constructor(text) { this.password = text; this.#hidden = text; } #hidden; }

const held = {
  values: [], wholes: {}, parts: [], byMap: new Map(), set: new Set(), weak: new WeakMap(), symbols: {}, registered: {}, accessors: {}, parsed: [],
  buffers: [], errors: [], patterns: [], closures: [], customers: [], ropes: [], promises: [], generators: [], bound: [], typed: [], urls: [], deleted: {},
  nulls: Object.create(null), spread: [], assigned: new Customer('none'), files: [], classes: [], methods: [], one: {}, frozen: [], views: [], exportsLike: {}};

function* generator(text) { const local = text; yield local; yield local; }

secrets.forEach((text, number) => {
  held.values.push(text);
  held.wholes[text] = {number};
  const part = number % 7 === 0 || held.parts.length === 0 ? {} : held.parts[held.parts.length - 1];
  if (!held.parts.includes(part)) held.parts.push(part);
  part[text] = {number};
  held.byMap.set(text, {number}).set({text}, text);
  held.set.add(text);
  held.weak.set(held.parts[held.parts.length - 1], text);
  held.symbols[Symbol(text)] = {number};
  held.registered[Symbol.for(text)] = {number};
  Object.defineProperty(held.accessors, text, {get() { return number; }, enumerable: true, configurable: true});
  held.parsed.push(JSON.parse(`{"${text}": {"${text}": ["${text}"]}}`));
  held.buffers.push(Buffer.from(text));
  held.errors.push(new Error(text));
  held.patterns.push(new RegExp(text));
  held.closures.push(() => text);
  held.customers.push(new Customer(text));
  held.ropes.push(text + text + number);
  held.promises.push(Promise.resolve(text));
  held.generators.push(generator(text));
  held.generators[number].next();
  held.bound.push(String.prototype.concat.bind(text, text));
  held.typed.push(Uint16Array.from(text, letter => letter.charCodeAt(0)));
  held.urls.push(new URL(`http://${text}.example/${text}?${text}=${text}`));
  held.deleted[text] = {number};
  held.nulls[text] = {number};
  held.spread.push({...held.parsed[number], [text]: number});
  held.assigned[text] = {number};
  held.methods.push({[text]: {number}});
  held.frozen.push(Object.freeze({[text]: Object.freeze([text])}));
  if (number < 12) held.exportsLike[text] = number % 2 ? text : held; // few and many: what looks like a module is looked at in another way
});
for (const text of secrets.slice(0, 10)) {
  const file = `${process.argv[3]}/${text}`;
  fs.writeFileSync(file, text);
  held.files.push(fs.openSync(file), fs.createReadStream(file, {autoClose: false}));
  delete held.deleted[text];
}

// What a cache of code meets, always the same one; and what is folded into compiled code.
const alone = secrets[1], folded = {key: secrets[2]};
function touch() { held.one[alone] = {}; return held.one[alone]; }
function look(one) { return one[folded.key]; }
held.one[secrets[2]] = 1;

const work = () => { touch(); for (let i = 0; i < 50000; i++) look(held.one); };
for (let i = 0; i < 20; i++) work();
require('readline').createInterface({input: process.stdin}).on('line', line => { if (line === 'quit') process.exit(0); });
setInterval(work, 50);
global.held = held;
setTimeout(() => console.log('ready'), 100);
