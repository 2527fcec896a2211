// Each upload is polled by an interval that nobody clears.
'use strict';
const { play } = require('./stage.cjs');

class Upload {
  constructor(number) { this.number = number; this.done = 0; }
}

function follow(number) {
  const upload = new Upload(number);
  setInterval(function pollUpload() { upload.done++; }, 600_000); // truth: made
}

play({ noise: ['cache', 'ring', 'requests', 'timers', 'guests'], leak: follow });
