// A service of two versions. `node service.js leaks FROM` forgets to end every fourth session after the first FROM, `node service.js` ends them all; all else
// is the same: a cache that fills up and throws out, garbage, a table that stays. Obeys "serve N", answers "served TOTAL"; "quit" ends it.
'use strict';
const readline = require('readline');

class Session {
  constructor(number) {
    this.number = number;
    this.cart = ['item ' + number, 'item ' + (number + 1)];
  }
}

class Shop {
  constructor(leaksFrom) {
    this.leaksFrom = leaksFrom;
    this.served = 0;
    this.sessions = new Map();
    this.pages = new Map();
    this.catalogue = Array.from({length: 1000}, (_, i) => ({name: 'product ' + i, price: i}));
  }

  render(number) {
    const key = number * 7919 % 6000;
    this.pages.delete(key);
    this.pages.set(key, 'page ' + key + ' of ' + number);
    if (this.pages.size > 1000) this.pages.delete(this.pages.keys().next().value);
  }

  serve() {
    const number = this.served++;
    this.sessions.set(number, new Session(number));
    this.render(number);
    if (number < this.leaksFrom || number % 4 !== 0) this.sessions.delete(number);
  }
}

global.shop = new Shop(process.argv[2] === 'leaks' ? Number(process.argv[3]) : Infinity);
readline.createInterface({input: process.stdin}).on('line', line => {
  const [verb, count] = line.split(' ');
  if (verb === 'quit') process.exit(0);
  for (let i = 0; i < Number(count); i++) global.shop.serve();
  console.log('served', global.shop.served);
});
console.log('ready');
