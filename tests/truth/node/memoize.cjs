// A memoized function: its results are known for ever, by the text of its arguments.
'use strict';
const { play } = require('./stage.cjs');

class Quote { constructor(price) { this.price = price; this.currency = 'EUR'; } }

function memoize(compute) {
  const known = new Map();
  return function memoized(...args) {
    const key = JSON.stringify(args);
    if (!known.has(key)) known.set(key, compute(...args));
    return known.get(key);
  };
}

const quoteFor = memoize((product, customer) => new Quote(product * customer));

play({ noise: ['cache', 'ring', 'requests', 'guests'], leak(number) { quoteFor(number, 3); } });
