// The store of the whole program is entered once; what each request notes in it stays.
import { AsyncLocalStorage } from 'node:async_hooks';
import stage from './stage.cjs';

class Note { constructor(number) { this.number = number; this.text = { short: number, long: number * 2 }; } }

const storage = new AsyncLocalStorage();
storage.enterWith({ notes: new Map() });

function note(number) { storage.getStore().notes.set(number, new Note(number)); }

stage.play({ leak: number => { note(number); } });
