// A server in TypeScript, which esbuild made one line of: each request leaves a response in a cache and a listener in a list.
import { onSample } from './metrics';
import { ResponseCache } from './responses';
import stage = require('../stage.cjs');

const answered = new ResponseCache();

function watch(number: number): void {
  let largest = number;
  onSample(value => { largest = Math.max(largest, value); });
}

function serve(number: number): void {
  answered.put(`/item/${number}`, number);
  watch(number);
}

stage.play({ noise: ['cache', 'requests', 'guests', 'timers'], leak: serve });
