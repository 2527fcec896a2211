// A worker thread renders pages, and keeps each of them in a Map of its own. With "clean" behind it, as many as it may.
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import stage from './stage.cjs';

class RenderedPage {
  constructor(number) {
    this.number = number;
    this.lines = [number % 10, number % 7];
  }
}

if (!isMainThread) {
  const pages = new Map();
  parentPort.on('message', function render(number) {
    pages.set(workerData.isClean ? number % 100 : number, new RenderedPage(number));
    parentPort.postMessage(number);
  });
} else {
  const worker = new Worker(new URL(import.meta.url), { workerData: { isClean: process.argv.includes('clean') } });
  let answered = null;
  worker.on('message', () => answered());
  const ask = number => new Promise(done => {
    answered = done;
    worker.postMessage(number);
  });
  for (let i = 1; i <= 500; i++) await ask(-1 - i % 100);
  stage.play({ noise: ['cache', 'ring', 'requests'], leak: ask });
}
