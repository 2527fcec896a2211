'use strict';
process.setMaxListeners(0);

exports.start = function start(id) {
  const state = {id, steps: ['start']};
  process.on('SIGHUP', function reload() { state.steps.push('reload'); }); // LEAK
};
