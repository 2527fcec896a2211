// Tasks as generators, which a scheduler steps once and then keeps.
import stage from './stage.cjs';

class Parcel { constructor(number) { this.number = number; } }

const scheduler = { suspended: [], finished: 0 };

function* deliver(number) { // truth: made
  const parcel = new Parcel(number);
  yield parcel.number;
  yield -parcel.number;
}

stage.play({
  noise: ['cache', 'ring', 'requests'],
  leak(number) {
    const task = deliver(number);
    task.next();
    scheduler.suspended.push(task);
  },
});
