// Iterators that were begun, and are neither read on nor returned.
import stage from './stage.cjs';

class Quote { constructor(symbol) { this.symbol = symbol; this.price = symbol * 2; } }

const feeds = new Set();

async function* prices(symbol) {
  const quote = new Quote(symbol);
  for (;;) yield quote;
}

async function follow(symbol) {
  const feed = prices(symbol);
  await feed.next();
  feeds.add(feed);
}

stage.play({ leak: follow });
