import {open} from './sessions.mjs';
import drive from '../drive.cjs';

drive(i => { open(i).cart.push({sku: i}); });
