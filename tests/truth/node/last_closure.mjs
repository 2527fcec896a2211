// Each handler wraps the one before it.
import stage from './stage.cjs';

class Beat { constructor(number) { this.number = number; } }

let onBeat = () => 0;

function wrap(number) {
  const before = onBeat, beat = new Beat(number);
  onBeat = depth => (depth > 0 ? before(depth - 1) : beat.number);
  return onBeat(2);
}

stage.play({ leak: wrap });
