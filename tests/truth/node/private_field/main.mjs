// The list is a private field of the one object that a module exports as its default.
import stage from '../stage.cjs';
import ledger from './ledger.mjs';

stage.play({ noise: ['cache', 'guests', 'timers'], leak(number) { ledger.book(number); } });
