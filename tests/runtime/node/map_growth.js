// A global Map whose entries are added faster than they are deleted: some old ones go, many new ones come.
'use strict';
const {plant} = require('./plant.js');

class CachedPage {
  constructor(id) {
    this.id = id; this.etag = id + 1; this.stored = id + 2; this.expires = id + 3; this.hits = 0;
    this.status = 200; this.length = id * 2; this.age = 0; this.fresh = true; this.vary = null;
    this.parts = 3; this.depth = 1;
  }
}

global.pages = new Map();
let next = 0;

function add(count) {
  for (const end = next + count; next < end; next++) global.pages.set('page:' + next, new CachedPage(next));
}

plant({
  root: 'global.pages',
  growing: ['CachedPage'],
  holders: [{path: 'Map', items: '[*] CachedPage'}],
  warmUp: () => add(4000),
  leak: () => {
    for (let i = 0; i < 1203; i++) global.pages.delete('page:' + i * 3);
    add(6010);
    return {fresh: {CachedPage: 6010}, freed: {CachedPage: 1203}};
  },
  counts: () => ({CachedPage: global.pages.size}),
});
