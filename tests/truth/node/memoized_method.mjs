// A method is replaced by one that remembers every answer.
import stage from './stage.cjs';

class Rate { constructor(day) { this.day = day; this.value = day * 1.5; } }
class Rates { quote(day) { return new Rate(day); } }

function memoized(method) {
  const answers = new Map();
  return function remember(key) {
    if (!answers.has(key)) answers.set(key, method.call(this, key));
    return answers.get(key);
  };
}

Rates.prototype.quote = memoized(Rates.prototype.quote);
const rates = new Rates();

stage.play({ leak: day => { rates.quote(day); } });
