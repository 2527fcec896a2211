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
// V8 builds its snapshot in memory while a process stands still: a copy of this one, made by the addon hsdiff.node beside this file, or
// this one where there is no addon, or HSDIFF_NODE=inside: see take(). What is made of it goes out piece by piece, and is never held
// as a whole: see stream(). Heaps of worker threads follow it, each as {"thread":N,"snapshot":{…}…}: see takeWorkers(). The file
// stays open: by that hsdiff knows it is loaded.
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
  const COPIES = 3; // made of the process before its heap is taken inside it
  const QUIET_TRIES = 100; // of a millisecond each, until no other thread runs
  const LOOK_MS = 20;
  const STILL_LOOKS = 100; // without work, of a copy that waits for a thread that is not there
  const WORKER_PATIENCE_MS = 10000; // for a worker that is in native code, and hears nothing before it is back
  const LASTING_MS = 1000; // a worker that lasts less is in no capture
  const [WRITTEN, STALLED] = [0, 1]; // numbers that a copy and this process tell each other
  const [WHOLE, CUT, KILLED] = [0, 1, 128 + 9]; // how a copy ends
  const told = new Set();
  let number = 0;
  let isBusy = false;
  let isWanted = false; // a signal came while a capture was under way
  let asked = 0; // messages to workers
  let copier; // the addon, or null
  // How long the process stands still for a byte of heap: while V8 makes a snapshot of it, and while it numbers its objects. As measured
  // in this process, once it was.
  const nsPerByte = {inside: 100, numbered: 5};
  // V8 numbers the objects of a heap up to this in about 0.1 s. Larger ones are copied without that, and so are they from then on.
  const NUMBERED_BYTES = 20 * 1024 * 1024;
  const WAY = process.env.HSDIFF_NODE || ''; // exact: numbered, however long it takes; quick: never; inside: without a copy
  let isQuick = WAY === 'quick';
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

  function nsSince(start) {
    const [seconds, ns] = process.hrtime(start);
    return seconds * 1e9 + ns;
  }

  // Writes a snapshot to a descriptor. The stream that V8 gives calls push() for each piece as it is made; taken from there a piece
  // is written at once, where a pipe would first collect all of them in memory. `head`, made when the snapshot has been built and
  // before it is written, stands in front.
  function stream(fd, head, tell) {
    const started = process.hrtime();
    const snapshot = v8.getHeapSnapshot();
    const built = nsSince(started);
    let written = 0;
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
          tell(written += piece.length);
        } catch (error) {
          failure = error;
        }
      }
      return piece !== null;
    };
    tell(1);
    writeAll(fd, head(built));
    snapshot._read();
    if (failure === null && !isWhole) failure = new Error('V8 gave no whole snapshot');
    snapshot.destroy();
    if (failure !== null) throw failure;
  }

  // ---- in the process, or in a copy of it

  function findCopier() {
    const addon = {exports: {}};
    try {
      if (WAY !== 'inside' && process.platform === 'linux') process.dlopen(addon, path.join(__dirname, 'hsdiff.node'));
    } catch (error) {
      // It is not there, was built for another machine, or addons are forbidden here.
    }
    return addon.exports.copy ? addon.exports : null;
  }

  // What a capture is written to: a descriptor; head(), what stands in front of the snapshot; is whoever asked for it gone; and how to
  // warn that one that the program will stand still.
  function target(fd, more) {
    return Object.assign({fd, head: () => Buffer.alloc(0), isGone: () => false, warn: () => {}}, more);
  }

  function takeInside(to, done) {
    try {
      const size = v8.getHeapStatistics().used_heap_size;
      to.warn(Math.round(size * nsPerByte.inside));
      const started = process.hrtime();
      stream(to.fd, ns => to.head({copied: 0, build_ns: ns, domain: currentDomain()}), () => {});
      nsPerByte.inside = nsSince(started) / size;
      done(null);
    } catch (error) {
      done(error);
    }
  }

  // Does not return: what is after it is the program's.
  function beCopy(to, facts) {
    try {
      process.title = `hsdiff: copy of ${process.ppid}`;
      stream(to.fd, () => to.head(Object.assign({copied: 1, build_ns: copier.get(STALLED)}, facts)), written => copier.put(WRITTEN, written));
      copier.exit(WHOLE);
    } catch (error) {
      copier.exit(CUT);
    }
  }

  // The work that a copy has done, as text, or null if it is doing some just now.
  function workOf(pid) {
    try {
      const text = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
      const words = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return /^[RD]/.test(words[0]) ? null : `${words[11]} ${words[12]}`;
    } catch (error) {
      return null;
    }
  }

  // A copy that waits for its reader is not given up here: writeAll() does that. Looks are counted, not time: this process may be late itself.
  function watchCopy(pid, to, done) {
    let work = null;
    let looks = 0;
    let isStill = false;
    const look = () => {
      const status = copier.status(pid);
      if (status >= 0) return done(status, isStill);
      const now = copier.get(WRITTEN) > 0 ? null : workOf(pid);
      looks = now === null || now !== work ? 0 : looks + 1;
      work = now;
      isStill = isStill || looks >= STILL_LOOKS;
      if (isStill || to.isGone()) process.kill(pid, 'SIGKILL');
      setTimeout(look, LOOK_MS);
    };
    setTimeout(look, LOOK_MS);
  }

  // A thread that runs may hold a lock. One that runs all the time is not waited for.
  function whenQuiet(then, tries = QUIET_TRIES) {
    if (tries > 0 && copier.busy() > 0) setTimeout(whenQuiet, 1, then, tries - 1);
    else then();
  }

  // What is to be done when a copy has ended, or could not be made.
  function afterCopy(to, copies, status, isStill, done) {
    const isBefore = copier.get(WRITTEN) === 0;
    const fail = why => done(Object.assign(new Error(why), {isBefore}));
    if (status === WHOLE) return done(null);
    if (to.isGone()) return fail('whoever asked for it is gone');
    if (status === CUT || !isBefore) return fail('the copy of the process could not write it');
    if (status === KILLED && !isStill) return fail('the copy of the process was killed; is there memory for it?');
    if (copies > 1) return takeInCopy(to, copies - 1, done);
    if (!isStill) return fail(`V8 fails in copies of this process (${status}); HSDIFF_NODE=inside takes its heap without`);
    say('still', `${COPIES} copies of the process stood still: its heap is taken inside it`);
    takeInside(to, done);
  }

  // Without the young generation, which is mostly garbage.
  function settledBytes() {
    return v8.getHeapStatistics().used_heap_size - spaces().young;
  }

  // Objects keep the numbers that V8 gave them here. What it numbers in a copy it would number anew in the next: a domain of its own.
  function makeCopy(to) {
    const size = settledBytes();
    isQuick = isQuick || (WAY !== 'exact' && size > NUMBERED_BYTES);
    const domain = isQuick ? newDomain() : currentDomain();
    const stall = Math.round(size * nsPerByte.numbered);
    if (!isQuick) to.warn(stall);
    const started = process.hrtime();
    const pid = copier.copy(to.fd, Number(!isQuick));
    if (pid === 0) beCopy(to, {domain, exact_ns: isQuick && WAY !== 'quick' ? stall : 0});
    const ns = nsSince(started);
    copier.put(STALLED, ns);
    if (!isQuick) nsPerByte.numbered = ns / size;
    return pid;
  }

  // Where there is no memory for a copy there is less for a snapshot inside the process.
  function withoutCopy(to, errno, done) {
    const why = Object.keys(os.constants.errno).find(name => os.constants.errno[name] === errno) || errno;
    if (why === 'ENOMEM') return done(Object.assign(new Error('there is no memory for a copy of the process'), {isBefore: true}));
    say('uncopied', `the process cannot be copied (${why}): its heap is taken inside it`);
    takeInside(to, done);
  }

  function takeInCopy(to, copies, done) {
    whenQuiet(() => {
      if (to.isGone()) return done(new Error('whoever asked for it is gone'));
      let pid;
      try {
        pid = makeCopy(to);
      } catch (error) {
        return done(error); // whoever asked has gone since: the warning found no reader
      }
      if (pid > 0) return watchCopy(pid, to, (status, isStill) => afterCopy(to, copies, status, isStill, done));
      withoutCopy(to, -pid, done);
    });
  }

  // ---- workers, each of which has a heap of its own

  // A worker tells its heap over a session of the inspector within this process: V8 asks it whatever it does, also while it waits
  // (Atomics.wait), and it writes the snapshot itself, so that it may end at any time. (The stream of worker.getHeapSnapshot() is read in
  // this thread, and Node dies where the worker has ended.) The session stays open, since at its end V8 would begin anew to number what a
  // worker has. It begins with the first capture of a program that has started a worker.
  let channel; // {session, found: session of a worker -> what is known of it}, or null
  let hasWorkers = false;
  const DEAF = {hear: () => {}, end: () => {}};

  function watchWorkers() {
    process.on('worker', () => { hasWorkers = true; });
  }

  // Of a class of its own that is not derived: V8 would count the prototype of inspector.Session among the objects of that name, and a
  // program may have a class Session.
  function newSession() {
    const {Session} = require('inspector');
    const own = Object.getOwnPropertyDescriptors(Session.prototype);
    function HsdiffSession() {}
    own.constructor.value = HsdiffSession;
    HsdiffSession.prototype = Object.create(Object.getPrototypeOf(Session.prototype), own);
    return Reflect.construct(Session, [], HsdiffSession);
  }

  function openChannel(then) {
    const found = new Map();
    try {
      const session = newSession();
      const of = params => found.get(params.sessionId) || {};
      session.on('NodeWorker.attachedToWorker', ({params}) => {
        const title = /^\[worker (\d+)\]/.exec(params.workerInfo.title);
        if (title) found.set(params.sessionId, Object.assign({id: params.sessionId, since: process.hrtime(), thread: Number(title[1])}, DEAF));
      });
      session.on('NodeWorker.receivedMessageFromWorker', ({params}) => {
        const {hear} = of(params);
        if (hear) hear(JSON.parse(params.message));
      });
      session.on('NodeWorker.detachedFromWorker', ({params}) => {
        const {end} = of(params);
        found.delete(params.sessionId);
        if (end) end();
      });
      session.connect();
      channel = {session, found};
      session.post('NodeWorker.enable', {waitForDebuggerOnStart: false}, () => then());
    } catch (error) {
      channel = null; // a Node without inspector
      then();
    }
  }

  function withChannel(then) {
    if (hasWorkers && channel === undefined) openChannel(then);
    else then();
  }

  // Calls done(null) when it is answered, done(true) when the worker has ended.
  function askWorker(worker, method, take, done) {
    const id = ++asked;
    const finish = isEnd => {
      Object.assign(worker, DEAF);
      done(isEnd);
    };
    worker.hear = message => {
      if (message.id === id) finish(null);
      else if (message.method === 'HeapProfiler.addHeapSnapshotChunk') take(message.params.chunk);
    };
    worker.end = () => finish(true);
    channel.session.post('NodeWorker.sendMessageToWorker', {sessionId: worker.id, message: JSON.stringify({id, method})},
      error => { if (error) finish(true); });
  }

  // One that has ended has no heap. Of one that does not answer, because it is in native code, nothing but its number is there.
  function takeWorker(to, worker, done) {
    let failure = null;
    let isBegun = false;
    const put = text => {
      try {
        if (failure === null) writeAll(to.fd, Buffer.from(text));
      } catch (error) {
        failure = error;
      }
    };
    const take = chunk => {
      put(isBegun ? chunk : `{"thread":${worker.thread},${chunk.slice(1)}`);
      isBegun = true;
    };
    const end = isEnd => done(failure || (isEnd && isBegun ? new Error(`worker ${worker.thread} ended while its heap was read`) : null));
    const timer = setTimeout(() => {
      Object.assign(worker, DEAF);
      put(`{"thread":${worker.thread}}`);
      end(null);
    }, WORKER_PATIENCE_MS);
    askWorker(worker, 'HeapProfiler.enable', () => {}, isEnd => {
      clearTimeout(timer);
      if (isEnd) end(true);
      else askWorker(worker, 'HeapProfiler.takeHeapSnapshot', take, end);
    });
  }

  // Those that come and go, one for each request, would be in one capture and not in the next.
  function takeWorkers(to, done) {
    const rest = channel ? [...channel.found.values()].sort((a, b) => a.thread - b.thread) : [];
    const next = error => {
      if (error || rest.length === 0 || to.isGone()) return done(error);
      const worker = rest.shift();
      const take = () => (channel.found.has(worker.id) ? takeWorker(to, worker, next) : next(null));
      setTimeout(take, Math.max(0, LASTING_MS - nsSince(worker.since) / 1e6));
    };
    next(null);
  }

  // Calls done(error or null).
  function take(to, done) {
    if (copier === undefined) copier = findCopier();
    const behind = error => (error || to.isAlone ? done(error) : takeWorkers(to, done));
    withChannel(() => {
      if (copier) takeInCopy(to, COPIES, behind);
      else takeInside(to, behind);
    });
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

  function forget(file) {
    try {
      fs.unlinkSync(file);
    } catch (error) {
      // Someone else has swept it.
    }
    say('stale', 'whoever asked for this capture is gone; signal again to save a file');
  }

  // Lines of JSON: how long the program will stand still, if it will; its metrics, and then the snapshot, or why there is none.
  function answer(socket, isGone, done) {
    const fd = socket._handle.fd;
    const line = words => Buffer.from(JSON.stringify(words) + '\n');
    const facts = Object.assign({hsdiff: 1, pid: process.pid, name: programName(), node: process.version}, metrics());
    take(target(fd, {
      isGone,
      warn: ns => writeAll(fd, line({stall_ns: ns})),
      head: more => line(Object.assign(more, facts)),
    }), error => {
      if (error && !isGone()) {
        say('cut', `a capture was cut off: ${error.message}`);
        if (error.isBefore) socket.end(line({error: error.message}));
      }
      done();
    });
  }

  function sendTo(file, done) {
    const socket = net.connect({path: file});
    let isConnected = false;
    let isGone = false;
    socket.on('error', error => { if (error.code === 'ECONNREFUSED') forget(file); });
    socket.on('close', () => {
      isGone = true;
      if (!isConnected) done();
    });
    socket.on('connect', () => {
      isConnected = true;
      socket.resume(); // to hear that whoever asked is gone
      answer(socket, () => isGone, () => {
        if (!socket.writableEnded) socket.destroy();
        done();
      });
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
  function importBy(hsdiff, out, stdout, done) {
    const child = childProcess.spawn(hsdiff, ['import', '-', '-o', out, '--from', 'v8', '--pid', String(process.pid)], {stdio: ['pipe', stdout, 'inherit']});
    child.on('error', error => say('spawn', `cannot start ${hsdiff}: ${error.message}`));
    child.stdin.on('error', () => {});
    child.unref();
    if (!child.stdin._handle) return done(null);
    take(target(child.stdin._handle.fd), error => {
      child.stdin.destroy();
      done(error);
    });
  }

  function nextPath(folder) {
    for (;;) {
      number++;
      const stem = path.join(folder, `${programName()}-${process.pid}-${String(number).padStart(4, '0')}`);
      if (!fs.existsSync(stem + '.hs') && !fs.existsSync(stem + '.heapsnapshot')) return stem;
    }
  }

  // A file that has its name when it is whole. DevTools read one heap of a file: it is that of the main thread.
  function saveRaw(stem, done) {
    const {O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW} = fs.constants;
    const part = stem + '.part';
    const fd = fs.openSync(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    take(target(fd, {isAlone: true}), error => {
      fs.closeSync(fd);
      if (error) fs.unlinkSync(part);
      else fs.renameSync(part, stem + '.heapsnapshot');
      done(error);
    });
  }

  function saveIn(folder, done) {
    const stem = nextPath(folder);
    const hsdiff = findHsdiff();
    const where = path.resolve(folder);
    if (hsdiff) {
      say('saved', `captures are saved in ${where}, the first of them as ${path.basename(stem)}.hs`);
      return importBy(hsdiff, stem + '.hs', 'ignore', done);
    }
    saveRaw(stem, error => {
      if (!error) {
        say('raw', `no hsdiff in HSDIFF or PATH: snapshots are saved as they are in ${where}, with all strings of the program inside, ` +
          `the first of them as ${path.basename(stem)}.heapsnapshot`);
      }
      done(error);
    });
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
    let isConnected = false;
    const fail = error => say('push', `cannot send to ${to}: ${error.message}`);
    socket.on('error', fail);
    socket.on('close', () => { if (!isConnected) done(); });
    socket.on('connect', () => {
      isConnected = true;
      importBy(hsdiff, '-', socket, error => {
        if (error) fail(error);
        socket.destroy();
        done();
      });
    });
  }

  function save(done) {
    const to = process.env.HSDIFF_TO || '';
    if (to !== '' && !to.startsWith('dir:')) return pushTo(to, done);
    const end = error => {
      if (error) say('save', `cannot save a capture: ${error.message}`);
      done();
    };
    try {
      saveIn(to.slice(4) || process.env.HSDIFF_DIR || '.', end);
    } catch (error) {
      end(error);
    }
  }

  // A signal that comes meanwhile is answered behind it.
  function begin(what) {
    isBusy = true;
    what(() => {
      isBusy = false;
      if (!isWanted) return;
      isWanted = false;
      onSignal();
    });
  }

  function onSignal() {
    if (isBusy) {
      isWanted = true;
      return;
    }
    const file = rendezvousPath();
    begin(done => (isOurSocket(file) ? sendTo(file, done) : save(done)));
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
      if (--left <= 0) clearInterval(timer);
      begin(save);
    }, Math.max(1, Math.min(every * 1000, 2 ** 31 - 1)));
    timer.unref();
  }

  // Node makes a table of the system's errors with the first that writing meets (14.5 KiB). If that were a reader of a capture who is
  // slow, the next capture would have it as growth of the program.
  function loadErrors(readOnly) {
    try {
      fs.writeSync(readOnly, 'x');
    } catch (error) {
      // As it was to be.
    }
  }

  loadErrors(fs.openSync(__filename, 'r')); // never closed: the sign by which hsdiff knows
  watchCollections();
  watchInspector();
  watchWorkers();
  listen();
  series();
}
