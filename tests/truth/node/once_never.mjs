// Writers wait once for a drain that never comes.
import { EventEmitter } from 'node:events';
import stage from './stage.cjs';

class Chunk { constructor(number) { this.number = number; this.parts = [number]; } }

class Sink extends EventEmitter {
  constructor() { super(); this.setMaxListeners(0); }
}

const sink = new Sink();

function write(number) {
  const chunk = new Chunk(number);
  sink.once('drain', () => { chunk.parts.length = 0; }); // truth: made
}

stage.play({ leak: write });
