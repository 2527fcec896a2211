// A worker thread computes, and the main thread keeps every result it was ever sent.
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import stage from './stage.cjs';

if (!isMainThread) {
  parentPort.on('message', number => parentPort.postMessage({ number, sum: number * 2, digits: [number % 10, number % 7] }));
} else {
  const results = [];
  const worker = new Worker(new URL(import.meta.url));
  let answered = null;
  worker.on('message', function keepResult(result) {
    if (result.number >= 0) results.push(result);
    answered();
  });
  const ask = number => new Promise(done => {
    answered = done;
    worker.postMessage(number);
  });
  for (let i = 0; i < 500; i++) await ask(-1);
  stage.play({ noise: ['cache', 'ring', 'requests'], leak: ask });
}
