// Subscribers by name in a plain object, in a module of their own. Who leaves is only marked.
import stage from '../stage.cjs';
import { subscribe, leave } from './subscribers.mjs';

stage.play({
  noise: ['guests', 'ring', 'requests'],
  leak(number) {
    subscribe('user' + number);
    leave('user' + number);
  },
});
