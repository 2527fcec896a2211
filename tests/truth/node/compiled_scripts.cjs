// Templates are compiled as scripts, and kept by name.
'use strict';
const vm = require('node:vm');
const { play } = require('./stage.cjs');

const templates = new Map();

function compileTemplate(number) {
  const script = new vm.Script(`(() => { const text = 'page ${number}'; return text.length + ${number}; })()`, { filename: `page${number}.tpl` });
  script.runInThisContext();
  templates.set('page ' + number, script);
}

play({ leak: compileTemplate });
