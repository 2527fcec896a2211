// A shop's server that leaks, as servers do: nobody ever removes a session, and every visitor leaves a listener behind that still
// sees his whole cart. The page cache beside them is bounded and healthy. Writes two heap snapshots, before and after.
//
//   node shop.js FOLDER
'use strict';
const path = require('path');
const v8 = require('v8');
const EventEmitter = require('events');

class Session {
  constructor(user) {
    this.user = user;
    this.cart = [];
    this.seen = { page: '/', at: user * 1000 };
  }
}

class CartItem {
  constructor(sku, count) { this.sku = sku; this.count = count; }
}

class Page {
  constructor(url) { this.url = url; this.blocks = new Array(40).fill(url.length); }
}

global.sessions = new Map();            // the leak: set() and no delete()
global.stock = new EventEmitter();      // the second: on() and no off()
global.stock.setMaxListeners(0);
global.pages = new Map();               // healthy: 500 pages at most

function serve(request) {
  const session = new Session(request);
  for (let i = 0; i < request % 5; i++) session.cart.push(new CartItem('sku-' + i, i + 1));
  sessions.set('session-' + request, session);
  if (request % 4 === 0) stock.on('change', function refreshCart() { return session.cart.length; });

  const url = '/page/' + request % 2000;
  if (!pages.has(url)) pages.set(url, new Page(url));
  if (pages.size > 500) pages.delete(pages.keys().next().value);
}

// A rush of requests, then a moment of calm: a compiler that still works on serve() would itself hold what serve() uses.
function load(from, to) {
  for (let request = from; request < to; request++) serve(request);
  return new Promise(done => setTimeout(done, 300));
}

async function main(folder) {
  await load(0, 2000);
  v8.writeHeapSnapshot(path.join(folder, 'before.heapsnapshot'));
  await load(2000, 14000);
  v8.writeHeapSnapshot(path.join(folder, 'after.heapsnapshot'));
}

main(process.argv[2] || '.');
