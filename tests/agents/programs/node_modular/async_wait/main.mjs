import drive from '../drive.cjs';
import {pass, openGate} from './gate.mjs';

class Ticket {
  constructor(number) { this.number = number; }
}
process.on('exit', openGate);
drive(i => { pass(new Ticket(i)); });
