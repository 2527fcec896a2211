// Screens listen on a bus that is a class of the program, made from EventEmitter, and are closed without a word to it.
import stage from '../stage.cjs';
import { bus } from './bus.mjs';

class Screen {
  constructor(number) {
    this.number = number;
    this.cells = { rows: number, columns: 80 };
    bus.subscribe('theme', theme => { this.cells.theme = theme; }); // truth: made
  }
}

stage.play({ leak(number) { new Screen(number); } });
