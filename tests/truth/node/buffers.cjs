// Frames of a video are kept for a replay that nobody asks for.
'use strict';
const { play } = require('./stage.cjs');

const frames = [];

function receive(number) {
  const frame = Buffer.alloc(4096);
  frame.writeUInt32LE(number);
  frames.push(frame);
}

play({ noise: ['pool', 'cache', 'ring'], leak: receive });
