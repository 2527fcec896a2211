'use strict';
const {acquire} = require('./lock');

async function work(i) {
  const job = {i, text: 'job ' + i};
  await acquire(job);
  return job;
}
require('../drive.cjs')(i => { work(i); });
