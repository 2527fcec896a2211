// A variable that was never declared, so it is a global one, and a list.
const { play } = require('./stage.cjs');

class Notice { constructor(number) { this.number = number; this.text = 'notice ' + number; } }

function notify(number) {
  if (typeof recentNotices === 'undefined') recentNotices = [];
  recentNotices.push(new Notice(number));
}

play({ noise: ['cache', 'ring', 'requests'], leak: notify });
