'use strict';
const {Worker} = require('worker_threads');
const path = require('path');

const pending = new Map();
const worker = new Worker(path.join(__dirname, 'worker.js'));
worker.unref();
let last = 0;

exports.run = function run(input) {
  return new Promise((resolve, reject) => {
    const id = ++last;
    pending.set(id, {input, resolve, reject}); // LEAK
    worker.postMessage({id, input});
  });
};
worker.on('message', ({id, output}) => pending.get(id).resolve(output));
