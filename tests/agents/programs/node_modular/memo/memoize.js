'use strict';
module.exports = function memoize(compute) {
  const known = new Map();
  return function memoized(key) { // LEAK
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key);
  };
};
