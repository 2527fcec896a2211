'use strict';
const {PassThrough} = require('stream');
const log = new PassThrough();
log.setMaxListeners(0);
log.resume();

exports.follow = function follow(client) {
  const queue = {client, lines: []};
  log.on('data', function forward(chunk) { queue.lines.push(chunk.length); }); // LEAK
};
exports.log = log;
