// A queue of mails with head and tail; the one who should send them has died.
'use strict';
const { play } = require('./stage.cjs');

class Mail {
  constructor(number) { this.number = number; this.next = null; }
}

class Outbox {
  head = null;
  tail = null;

  put(mail) {
    if (this.tail) this.tail.next = mail;
    else this.head = mail;
    this.tail = mail;
  }
}

const outbox = new Outbox();

play({ leak(number) { outbox.put(new Mail(number)); } });
