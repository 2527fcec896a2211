import drive from '../drive.cjs';
import {Registry} from './models/registry.mjs';

class Device {
  constructor(serial) { this.serial = serial; }
}
drive(i => Registry.add(new Device(i)));
