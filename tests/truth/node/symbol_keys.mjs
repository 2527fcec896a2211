// Marks are put on one shared object under symbols, one for each visitor.
import stage from './stage.cjs';

class Mark { constructor(number) { this.number = number; } }

const page = { title: 'start' };

stage.play({
  noise: ['cache', 'guests', 'requests'],
  leak(number) { page[Symbol('visitor ' + number)] = new Mark(number); },
});
