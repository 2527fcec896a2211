// Rules are compiled for each customer, and kept.
'use strict';
const { play } = require('./stage.cjs');

const rules = [];

function compileRule(number) {
  const rule = new Function('row', `const limit = ${number}; return row.total > limit && row.items.length < ${number % 7};`);
  rule({ total: number, items: [] });
  rules.push(rule);
}

play({ leak: compileRule });
