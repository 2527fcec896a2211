import { store } from './store';
import drive = require('../../drive.cjs');

drive((i: number) => { store.create(i).lines.push('line ' + i); });
