// Rules are read anew when they change: the cache of require is emptied, and the children of the module that loads them are not.
'use strict';
const { play } = require('../stage.cjs');

function reload() {
  delete require.cache[require.resolve('./rules.cjs')];
  return require('./rules.cjs');
}

play({ leak: number => { if (number % 10 === 0) reload().apply(number); } });
