'use strict';

const {Shop} = require('./shop.js');

const options = {rounds: Number(process.env.ROUNDS) || 5, calls: 300};

test('a shop that forgets its sessions', async () => {
  const shop = new Shop({forgetful: 'session'});
  await expect(() => shop.serve()).not.toLeak(options);
}, 600000);

test('a shop that lets go', async () => {
  const shop = new Shop();
  await expect(() => shop.serve()).not.toLeak(options);
}, 600000);
