// Jobs run one after the other, each behind the promise of the one before. The door to the first is never opened.
import stage from './stage.cjs';

class Job {
  constructor(number) { this.number = number; this.input = [number]; }
  async run() { this.input.length = 0; }
}

class Lane {
  tail = new Promise(resolve => { this.open = resolve; });
  add(job) { this.tail = this.tail.then(() => job.run()); }
}

const lane = new Lane();

stage.play({ leak: number => { lane.add(new Job(number)); } });
