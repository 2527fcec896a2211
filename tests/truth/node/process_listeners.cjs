// Each job wants to hear of the end of the process.
'use strict';
const { play } = require('./stage.cjs');

class Job { constructor(number) { this.number = number; this.files = ['/tmp/job' + number]; } }

process.setMaxListeners(0);

function runJob(number) {
  const job = new Job(number);
  process.on('exit', function removeFiles() { job.files.length = 0; }); // truth: made
}

play({ noise: ['cache', 'requests', 'guests'], leak: runJob });
