// Tiles of a map by their number: each has pixels in an ArrayBuffer.
import stage from './stage.cjs';

class Tile {
  constructor(number) {
    this.number = number;
    this.pixels = new ArrayBuffer(8192);
  }
}

const tiles = new Map();

stage.play({
  noise: ['cache', 'pool', 'timers'],
  leak(number) { tiles.set('tile/' + number, new Tile(number)); },
});
