// Sessions that are open are in a Set of their module. The end of a session is forgotten in one branch.
import stage from '../stage.cjs';
import { begin, end } from './sessions.mjs';

stage.play({
  leak(number) {
    for (let i = 0; i < 3; i++) end(begin(number), true);
    end(begin(number), false);
  },
});
