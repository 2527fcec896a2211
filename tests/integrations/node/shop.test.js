'use strict';

const test = require('node:test');
const {assertNoLeak} = require('hsdiff-noleak');
const {Shop} = require('./shop.js');

const options = {rounds: Number(process.env.ROUNDS) || 5, calls: 300};

test('a shop that forgets its sessions', async () => {
  const shop = new Shop({forgetful: 'session'});
  await assertNoLeak(() => shop.serve(), options);
});

test('a shop that lets go', async () => {
  const shop = new Shop();
  await assertNoLeak(() => shop.serve(), options);
});
