// Jobs run in an AsyncLocalStorage, and each keeps its AsyncResource in a Map that is never cleaned.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import stage from './stage.cjs';

class JobContext { constructor(number) { this.number = number; this.user = 'user ' + number; } }

const current = new AsyncLocalStorage();
const resources = new Map();

function runJob(number) {
  current.run(new JobContext(number), () => resources.set(number, new AsyncResource('JOB')));
}

stage.play({ leak: runJob });
