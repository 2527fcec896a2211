// Every kind of container at once, each full of a class of its own: each holder is the container, not what it is made of.
'use strict';
const {plant} = require('./plant.js');

class InArray { constructor(id) { this.id = id; this.a = 1; this.b = 2; } }
class InMap { constructor(id) { this.id = id; this.a = 1; this.b = 2; } }
class InKeys { constructor(id) { this.id = id; this.a = 1; this.b = 2; } }
class InSet { constructor(id) { this.id = id; this.a = 1; this.b = 2; } }
class InDictionary { constructor(id) { this.id = id; this.a = 1; this.b = 2; } }
class InSparse { constructor(id) { this.id = id; this.a = 1; this.b = 2; } }
class InClosures { constructor(id) { this.id = id; this.a = 1; this.b = 2; } }
class InBound { constructor(id) { this.id = id; this.a = 1; this.b = 2; } }
class InWeak { constructor(id) { this.id = id; this.a = 1; this.b = 2; } }
class InNested { constructor(id) { this.id = id; this.a = 1; this.b = 2; } }

global.list = [];
global.map = new Map();
global.keys = new Map();
global.set = new Set();
global.dictionary = {};
global.sparse = [];
global.closures = [];
global.bound = [];
global.weak = {keys: [], meta: new WeakMap()};
global.nested = {level: {deep: new Map()}};

function keep() { return this; }

const ADD = {
  InArray: i => global.list.push(new InArray(i)),
  InMap: i => global.map.set(i, new InMap(i)),
  InKeys: i => global.keys.set(new InKeys(i), i),
  InSet: i => global.set.add(new InSet(i)),
  InDictionary: i => { global.dictionary['key ' + i] = new InDictionary(i); },
  InSparse: i => { global.sparse[i * 1000] = new InSparse(i); },
  InClosures: i => { const item = new InClosures(i); global.closures.push(() => item.id); },
  InBound: i => global.bound.push(keep.bind(new InBound(i), i)),
  InWeak: i => { const key = {id: i}; global.weak.keys.push(key); global.weak.meta.set(key, new InWeak(i)); },
  InNested: i => global.nested.level.deep.set('n' + i, [new InNested(i)]),
};
const added = {};

function add(step) {
  const fresh = {};
  Object.keys(ADD).forEach((name, n) => {
    fresh[name] = step * (900 + 7 * n);
    added[name] ??= 0;
    for (let i = 0; i < fresh[name]; i++) ADD[name](added[name]++);
  });
  return {fresh};
}

plant({
  root: null, // growth is spread over all of them
  growing: null,
  holders: [
    {root: 'global.list', path: 'Array', types: ['InArray'], items: '[*] InArray'},
    {root: 'global.map', path: 'Map', types: ['InMap'], items: '[*] InMap'},
    {root: 'global.keys', path: 'Map', types: ['InKeys'], items: '[*] InKeys'},
    {root: 'global.set', path: 'Set', types: ['InSet'], items: '[*] InSet'},
    {root: 'global.dictionary', path: 'Object', types: ['InDictionary'], items: '[*] InDictionary'},
    {root: 'global.sparse', path: 'Array', types: ['InSparse']},
    {root: 'global.closures', path: 'Array', types: ['InClosures']},
    {root: 'global.bound', path: 'Array', types: ['InBound']},
    {root: 'global.weak', path: 'Object, .keys Array', types: ['InWeak']},
    {root: 'global.nested', path: 'Object, .level Object, .deep Map', types: ['InNested']},
  ],
  warmUp: () => add(1),
  leak: () => add(3),
  counts: () => ({...added}),
});
