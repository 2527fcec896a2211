import {expect, test} from 'vitest';

import shops from './shop.js';

const options = {rounds: Number(process.env.ROUNDS) || 5, calls: 300};

test('a shop whose baskets listen for ever', async () => {
  const shop = new shops.Shop({forgetful: 'listener'});
  await expect(() => shop.serve()).not.toLeak(options);
}, 600000);

test('a shop that lets go', async () => {
  const shop = new shops.Shop();
  await expect(() => shop.serve()).not.toLeak(options);
}, 600000);
