// What every page of this folder has around its leak: things that come and go all the time, and stand at the same level whenever a snapshot is taken.
'use strict';

const stage = (() => {
  class Note { constructor(text) { this.text = text; this.at = { text, seen: false }; } }
  const recent = new Map(); // the last notes
  const shelf = document.createElement('ul');
  let planted = 0, turn = 0;

  // A note that is shown for a moment, with a listener that goes with it, and a timer that ends.
  function noise() {
    const note = new Note('note ' + turn++);
    recent.set(turn, note);
    recent.delete(turn - 50);
    const line = document.createElement('li');
    const hide = () => { note.at.seen = true; };
    line.addEventListener('click', hide);
    window.addEventListener('resize', hide);
    shelf.appendChild(line);
    line.click();
    window.removeEventListener('resize', hide);
    line.remove();
  }
  document.body.appendChild(shelf);
  for (let i = 0; i < 100; i++) noise();

  // A page is done with a call when its timers of that time have run.
  const turnOver = () => new Promise(done => setTimeout(done, 0));
  return {
    start(leak) {
      window.play = async count => {
        for (let i = 0; i < count; i++) {
          noise();
          leak(planted++);
        }
        await turnOver();
        return planted;
      };
    },
  };
})();
