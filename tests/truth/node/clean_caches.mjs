// No leak: every sort of noise, and sessions that are begun and ended.
import stage from './stage.cjs';

class Session { constructor(number) { this.number = number; this.data = { number }; } }

const sessions = new Map();
for (let i = 0; i < 1000; i++) sessions.set(i, new Session(i));
let next = 1000;

stage.play({
  noise: ['cache', 'ring', 'requests', 'timers', 'pool', 'guests'],
  leak() {
    sessions.set(next, new Session(next));
    sessions.delete(next - 1000);
    next++;
  },
});
