// Each request listens to the signal of the whole service, and does not stop when it is over.
import stage from './stage.cjs';

class Call { constructor(number) { this.number = number; this.state = 'open'; } }

const shutdown = new AbortController();
process.removeAllListeners('warning');
process.on('warning', () => {});

function request(number) {
  const call = new Call(number);
  shutdown.signal.addEventListener('abort', function cancelCall() { call.state = 'aborted'; }); // truth: made
  call.state = 'done';
}

stage.play({ noise: ['cache', 'ring', 'timers'], leak: request });
