'use strict';
let current = null;

exports.replace = function replace(i) {
  const original = current;
  const unused = () => original;
  current = {
    text: 'thing ' + i,
    method: function describe() { return 'thing'; }, // LEAK
  };
  return unused;
};
