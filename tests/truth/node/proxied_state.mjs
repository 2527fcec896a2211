// The state of a page is behind a Proxy that tells of changes; what is undone is never forgotten.
import stage from './stage.cjs';

class Change { constructor(number) { this.number = number; this.before = { value: number }; } }

const state = new Proxy({ changes: 0, history: [] }, {
  set(target, name, value) {
    target[name] = value;
    target.history.push(new Change(value));
    return true;
  },
});

stage.play({ noise: ['cache', 'ring', 'guests'], leak: number => { state.changes = number; } });
