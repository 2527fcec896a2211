// A stream of objects that nobody reads.
import { Readable } from 'node:stream';
import stage from './stage.cjs';

class Mail { constructor(number) { this.from = number; this.subject = 'subject ' + number; } }

const inbox = new Readable({ objectMode: true, read() {} });

stage.play({ leak: number => { inbox.push(new Mail(number)); } });
