// Two leaks at a time: three of five parts are in the log, the rest hangs from a listener.
'use strict';
const { EventEmitter } = require('node:events');
const { play } = require('./stage.cjs');

class LogLine { constructor(number) { this.number = number; this.level = { name: 'info', number }; } }
class Watcher { constructor(number) { this.number = number; } }

const history = [];
const clock = new EventEmitter().setMaxListeners(0);

function work(number) {
  for (let i = 0; i < 6; i++) history.push(new LogLine(number + i));
  const watcher = new Watcher(number);
  clock.on('tick', function onTick() { watcher.number++; });
}

play({ noise: ['cache', 'ring', 'requests', 'timers'], leak: work });
