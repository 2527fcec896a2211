// An index in sixteen shards: no single one of them has much of the growth, together they have all of it.
import stage from './stage.cjs';

class Item { constructor(number) { this.number = number; this.sku = 'sku-' + number; } }

const shards = Array.from({ length: 16 }, () => new Map());

stage.play({
  noise: ['cache', 'ring', 'requests'],
  leak(number) { shards[(number * 7) % 16].set('sku-' + number, new Item(number)); },
});
