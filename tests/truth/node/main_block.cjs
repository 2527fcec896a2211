// One file for the main thread and for the worker: what each has stands in its block. Jobs wait in a map for an answer that comes, and stay.
'use strict';
const { Worker, isMainThread, parentPort } = require('node:worker_threads');

if (!isMainThread) {
  parentPort.on('message', job => parentPort.postMessage({ id: job.id, total: job.lines.length }));
} else {
  const stage = require('./stage.cjs');
  const worker = new Worker(__filename);
  const waiting = { byId: new Map() };
  let last = 0;
  worker.on('message', answer => waiting.byId.get(answer.id).settle(answer.total));
  const order = number => new Promise(settle => {
    const job = { id: ++last, settle, lines: [number, number + 1] };
    waiting.byId.set(job.id, job); // and is never deleted
    worker.postMessage({ id: job.id, lines: job.lines });
  });
  stage.play({ noise: ['cache', 'ring', 'requests'], leak: order });
}
