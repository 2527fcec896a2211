// A FinalizationRegistry whose held value holds the very object that should be found dead.
import stage from './stage.cjs';

class Handle { constructor(number) { this.number = number; } }
class Cleanup { constructor(handle) { this.handle = handle; } }

const cleanups = new FinalizationRegistry(held => { held.handle = null; });

stage.play({
  noise: ['cache', 'guests', 'timers'],
  leak(number) {
    const handle = new Handle(number);
    cleanups.register(handle, new Cleanup(handle));
  },
});
