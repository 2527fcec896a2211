// No leak: functions and scripts are compiled all the time, and dropped.
'use strict';
const vm = require('node:vm');
const { play } = require('./stage.cjs');

function compile(number) {
  const rule = new Function('row', `return row.total > ${number};`);
  rule({ total: number });
  new vm.Script(`'page ${number}'.length`).runInThisContext();
  (0, eval)(`((a) => a + ${number})(1)`);
}

for (let i = 0; i < 200; i++) compile(-i);
play({ leak: compile });
