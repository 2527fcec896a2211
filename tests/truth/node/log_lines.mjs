// Lines of a log, as strings in an array of an object that two modules share.
import stage from './stage.cjs';

export const debug = { enabled: true, level: 3, lines: [] };

stage.play({
  noise: ['cache', 'ring', 'requests', 'guests'],
  leak(number) { debug.lines.push(['request', 10_000 + number, 'was served'].join(' ')); },
});
