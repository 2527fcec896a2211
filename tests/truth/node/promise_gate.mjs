// Parcels wait behind a promise that nobody ever resolves.
import stage from './stage.cjs';

class Parcel { constructor(number) { this.number = number; this.weight = number % 30; } }

const gate = new Promise(() => {});
let shipped = 0;

function ship(number) {
  const parcel = new Parcel(number);
  gate.then(() => { shipped += parcel.weight; });
}

stage.play({ leak: ship });
