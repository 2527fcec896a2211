// Uploads whose body is never read: the streams wait with what was written into them.
import { PassThrough } from 'node:stream';
import stage from './stage.cjs';

class Upload {
  constructor(number) {
    this.number = number;
    this.body = new PassThrough();
    this.body.write('part of file ' + number);
  }
}

const uploads = new Map();

stage.play({ noise: ['cache', 'pool', 'timers'], leak(number) { uploads.set(number, new Upload(number)); } });
