// Promises that wait for ever, each with the store of its request.
import { AsyncLocalStorage } from 'node:async_hooks';
import stage from './stage.cjs';

class Scope { constructor(user) { this.user = user; this.roles = ['reader', 'writer']; } }

const storage = new AsyncLocalStorage();
const subscribers = [];

function subscribe(user) {
  storage.run(new Scope(user), () => { subscribers.push(new Promise(() => {})); });
}

stage.play({ leak: subscribe });
