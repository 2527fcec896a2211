// The Node agent: heap captures of a program that runs, on a signal or by the clock. No dependencies, Node 12 and later.
//
//      node --require /path/to/hsdiff.cjs app.js        then: hsdiff capture PID, or kill -USR2 PID
//
// A capture goes, in this order:
//   1. to hsdiff, where it waits for this process at the socket <folder>/.hsdiff-<uid>-node-<pid> (folder: XDG_RUNTIME_DIR, else
//      /tmp), made by this user or root: one line of JSON with metrics, then the snapshot as V8 writes it;
//   2. to HSDIFF_TO (unix:PATH, tcp:127.0.0.1:PORT, tcp:[::1]:PORT, dir:FOLDER), through `hsdiff import`;
//   3. into NAME-PID-NNNN.hs in HSDIFF_DIR or the working folder, through `hsdiff import`; where there is no hsdiff (variable
//      HSDIFF, else PATH), into NAME-PID-NNNN.heapsnapshot, 0600. A line on standard error says so once.
//
// HSDIFF_SIGNAL names another signal (none = no signal), HSDIFF_EVERY=SECONDS and HSDIFF_COUNT=N make a series by 2 and 3.
//
// V8 builds its snapshot in memory while the program stands still; what is made of it here goes out piece by piece, and is never
// held as a whole: see stream(). The heaps of worker threads are not in it. The file stays open: by that hsdiff knows it is loaded.
'use strict';

const {isMainThread} = require('worker_threads');
const LOADED = Symbol.for('hsdiff.helper');

if (isMainThread && !global[LOADED]) {
  Object.defineProperty(global, LOADED, {value: {}});
  load();
}

function load() {
  const childProcess = require('child_process');
  const fs = require('fs');
  const net = require('net');
  const os = require('os');
  const path = require('path');
  const v8 = require('v8');

  const PATIENCE_MS = 30000; // for a reader that does not read
  const told = new Set();
  let number = 0;
  let isBusy = false;
  const collections = {count: 0, ns: 0};
  let domain = newDomain();

  // One line for people, once for each kind.
  function say(kind, text) {
    if (told.has(kind)) return;
    told.add(kind);
    try {
      fs.writeSync(2, `hsdiff: ${text}\n`);
    } catch (error) {
      // Nobody reads standard error: there is no one to tell.
    }
  }

  function programName() {
    const name = path.basename(process.argv[1] || process.title || 'node');
    return name.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 60) || 'node';
  }

  // ---- numbers of this process, as they are before the snapshot

  function watchCollections() {
    try {
      const {PerformanceObserver} = require('perf_hooks');
      const observer = new PerformanceObserver(list => {
        for (const entry of list.getEntries()) {
          collections.count++;
          collections.ns += Math.round(entry.duration * 1e6);
        }
      });
      observer.observe({entryTypes: ['gc']});
    } catch (error) {
      // A Node without it: the captures lack these two numbers.
    }
  }

  function spaces() {
    const sums = {young: 0, old: 0, large: 0, code: 0, metadata: 0};
    for (const space of v8.getHeapSpaceStatistics()) {
      const name = space.space_name;
      const sum = /large_object/.test(name) ? 'large' : /^new/.test(name) ? 'young' : /^code/.test(name) ? 'code'
        : /^(map|read_only)/.test(name) ? 'metadata' : 'old';
      sums[sum] += space.space_used_size;
    }
    return sums;
  }

  function metrics() {
    const heap = v8.getHeapStatistics();
    const memory = process.memoryUsage();
    const of = spaces();
    return {
      'heap.used': heap.used_heap_size, 'heap.committed': heap.total_heap_size, 'heap.limit': heap.heap_size_limit,
      'heap.young': of.young, 'heap.old': of.old, 'heap.large': of.large, 'heap.code': of.code, 'heap.metadata': of.metadata,
      'native.used': memory.external + (heap.malloced_memory || 0), 'process.rss': memory.rss,
      'gc.count': collections.count, 'gc.pause': collections.ns,
    };
  }

  // ---- identity

  // V8 numbers its objects for life, but begins anew when a session of the inspector ends: ids are to be compared only within a domain.
  function newDomain() {
    return require('crypto').randomBytes(16).toString('hex');
  }

  function watchInspector() {
    try {
      const {Session} = require('inspector');
      const disconnect = Session.prototype.disconnect;
      Session.prototype.disconnect = function (...words) {
        domain = newDomain();
        return disconnect.apply(this, words);
      };
      global[LOADED].forget = () => { domain = newDomain(); };
    } catch (error) {
      // A Node without inspector: no session will end.
    }
  }

  // With an open inspector a session may have ended at any time.
  function currentDomain() {
    try {
      if (require('inspector').url() !== undefined) domain = newDomain();
    } catch (error) {
      // As above.
    }
    return domain;
  }

  // ---- the snapshot

  // All of it, whether the descriptor blocks or not.
  function writeAll(fd, bytes) {
    let at = 0;
    let waited = 0;
    while (at < bytes.length) {
      try {
        at += fs.writeSync(fd, bytes, at, bytes.length - at);
        waited = 0;
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        if (waited++ >= PATIENCE_MS) throw new Error('the reader does not read');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      }
    }
  }

  // Writes a snapshot to a descriptor. The stream that V8 gives calls push() for each piece as it is made; taken from there a piece
  // is written at once, where a pipe would first collect all of them in memory. `head`, made when the snapshot has been built and
  // before it is written, stands in front.
  function stream(fd, head) {
    const started = process.hrtime();
    const snapshot = v8.getHeapSnapshot();
    const built = process.hrtime(started);
    let failure = null;
    let isWhole = false;
    snapshot.on('error', error => { failure = failure || error; });
    snapshot.push = piece => {
      if (piece === null) {
        isWhole = true;
        snapshot._read = () => {};
      } else if (failure === null) {
        try {
          writeAll(fd, piece);
        } catch (error) {
          failure = error;
        }
      }
      return piece !== null;
    };
    if (head) writeAll(fd, Buffer.from(head(built[0] * 1e9 + built[1])));
    snapshot._read();
    if (failure === null && !isWhole) failure = new Error('V8 gave no whole snapshot');
    snapshot.destroy();
    if (failure !== null) throw failure;
  }

  // ---- where it goes

  function rendezvousPath() {
    return path.join(process.env.XDG_RUNTIME_DIR || '/tmp', `.hsdiff-${process.getuid()}-node-${process.pid}`);
  }

  function isOurSocket(file) {
    try {
      const stat = fs.lstatSync(file);
      return stat.isSocket() && (stat.uid === process.getuid() || stat.uid === 0);
    } catch (error) {
      return false;
    }
  }

  function sendTo(file, done) {
    const socket = net.connect({path: file});
    socket.on('error', error => {
      if (error.code === 'ECONNREFUSED') {
        try {
          fs.unlinkSync(file);
        } catch (gone) {
          // Someone else has swept it.
        }
        say('stale', 'whoever asked for this capture is gone; signal again to save a file');
      }
      done();
    });
    socket.on('connect', () => {
      try {
        const facts = metrics();
        stream(socket._handle.fd, ns => JSON.stringify(Object.assign(
          {hsdiff: 1, pid: process.pid, name: programName(), node: process.version, build_ns: ns, domain: currentDomain()},
          facts)) + '\n');
      } catch (error) {
        say('cut', `a capture was cut off: ${error.message}`);
      }
      socket.destroy();
      done();
    });
  }

  function findHsdiff() {
    const isProgram = file => {
      try {
        fs.accessSync(file, fs.constants.X_OK);
        return fs.statSync(file).isFile();
      } catch (error) {
        return false;
      }
    };
    if (process.env.HSDIFF) return isProgram(process.env.HSDIFF) ? process.env.HSDIFF : null;
    const folders = (process.env.PATH || '').split(':').filter(folder => path.isAbsolute(folder));
    return folders.map(folder => path.join(folder, 'hsdiff')).find(isProgram) || null;
  }

  // Runs hsdiff import on a snapshot; what it says goes to standard error.
  function importBy(hsdiff, out, stdout) {
    const child = childProcess.spawn(hsdiff, ['import', '-', '-o', out, '--from', 'v8'], {stdio: ['pipe', stdout, 'inherit']});
    child.on('error', error => say('spawn', `cannot start ${hsdiff}: ${error.message}`));
    child.stdin.on('error', () => {});
    child.unref();
    if (child.stdin._handle) {
      try {
        stream(child.stdin._handle.fd, null);
      } finally {
        child.stdin.destroy();
      }
    }
  }

  function nextPath(folder) {
    for (;;) {
      number++;
      const stem = path.join(folder, `${programName()}-${process.pid}-${String(number).padStart(4, '0')}`);
      if (!fs.existsSync(stem + '.hs') && !fs.existsSync(stem + '.heapsnapshot')) return stem;
    }
  }

  function saveIn(folder) {
    const stem = nextPath(folder);
    const hsdiff = findHsdiff();
    if (hsdiff) {
      importBy(hsdiff, stem + '.hs', 'ignore');
      return say('saved', `captures are saved in ${path.resolve(folder)}, the first of them as ${path.basename(stem)}.hs`);
    }
    const {O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW} = fs.constants;
    const part = stem + '.part';
    const fd = fs.openSync(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      stream(fd, null);
      fs.renameSync(part, stem + '.heapsnapshot');
    } catch (error) {
      fs.unlinkSync(part);
      throw error;
    } finally {
      fs.closeSync(fd);
    }
    say('raw', `no hsdiff in HSDIFF or PATH: snapshots are saved as they are in ${path.resolve(folder)}, with all strings of the ` +
      `program inside, the first of them as ${path.basename(stem)}.heapsnapshot`);
  }

  function endpoint(to) {
    if (to.startsWith('unix:')) return {path: to.slice(5)};
    const tcp = /^tcp:(127\.0\.0\.1|\[::1\]):(\d{1,5})$/.exec(to);
    return tcp && {host: tcp[1].replace(/[[\]]/g, ''), port: Number(tcp[2])};
  }

  function pushTo(to, done) {
    const where = endpoint(to);
    const hsdiff = findHsdiff();
    if (!where || !hsdiff) {
      say('to', !where ? `HSDIFF_TO=${to} is none of unix:PATH, tcp:127.0.0.1:PORT, tcp:[::1]:PORT, dir:FOLDER`
        : 'HSDIFF_TO needs hsdiff, and there is none in HSDIFF or PATH');
      return done();
    }
    const socket = net.connect(where);
    socket.on('error', error => {
      say('push', `cannot send to ${to}: ${error.message}`);
      done();
    });
    socket.on('connect', () => {
      try {
        importBy(hsdiff, '-', socket);
      } catch (error) {
        say('push', `cannot send to ${to}: ${error.message}`);
      }
      socket.destroy();
      done();
    });
  }

  function save(done) {
    const to = process.env.HSDIFF_TO || '';
    if (to !== '' && !to.startsWith('dir:')) return pushTo(to, done);
    try {
      saveIn(to.slice(4) || process.env.HSDIFF_DIR || '.');
    } catch (error) {
      say('save', `cannot save a capture: ${error.message}`);
    }
    done();
  }

  function onSignal() {
    if (isBusy) return;
    isBusy = true;
    const done = () => { isBusy = false; };
    const file = rendezvousPath();
    if (isOurSocket(file)) sendTo(file, done);
    else save(done);
  }

  // ---- what calls for one

  function listen() {
    const wanted = process.env.HSDIFF_SIGNAL || 'SIGUSR2';
    if (wanted === 'none') return;
    let signal = wanted.startsWith('SIG') ? wanted : 'SIG' + wanted;
    if (!(signal in os.constants.signals) || ['SIGUSR1', 'SIGKILL', 'SIGSTOP'].includes(signal)) {
      say('signal', `HSDIFF_SIGNAL=${wanted} cannot be used: SIGUSR2 is`);
      signal = 'SIGUSR2';
    }
    const warn = () => say('shared', `the program handles ${signal} too, by which captures are asked for: both will run; ` +
      'HSDIFF_SIGNAL names another one');
    if (process.listenerCount(signal) > 0 || process.execArgv.some(word => word === '--heapsnapshot-signal=' + signal)) warn();
    process.on(signal, onSignal);
    process.on('newListener', name => { if (name === signal) warn(); });
  }

  function series() {
    const every = Number(process.env.HSDIFF_EVERY);
    if (!(every > 0)) return;
    let left = Number(process.env.HSDIFF_COUNT) > 0 ? Math.floor(Number(process.env.HSDIFF_COUNT)) : Infinity;
    const timer = setInterval(() => {
      if (isBusy) return;
      isBusy = true;
      if (--left <= 0) clearInterval(timer);
      save(() => { isBusy = false; });
    }, Math.max(1, Math.min(every * 1000, 2 ** 31 - 1)));
    timer.unref();
  }

  fs.openSync(__filename, 'r'); // never closed: the sign by which hsdiff knows
  watchCollections();
  watchInspector();
  listen();
  series();
}
