const parts = [];

export function receive(size) {
  parts.push({at: Date.now(), body: Buffer.alloc(size, 1)}); // LEAK
}
