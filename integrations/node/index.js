// await assertNoLeak(fn): runs fn in rounds, takes a heap snapshot after each, and throws where something grew in every round. The error names
// what holds it. What grew is judged by the command hsdiff: that of the variable HSDIFF, else of PATH.
'use strict';

const {spawnSync} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const v8 = require('v8');

const DEFAULTS = {rounds: 5, calls: 1, maxGrowth: 'auto', allow: [], name: ''};
const PASSED = 0;
const FAILED = 1;
const MISSING = 'the command hsdiff is not in PATH. Install it (its doc/install.md says how), or set the variable HSDIFF to its path';

class LeakError extends Error {
  constructor(message, report) {
    super(message);
    this.name = 'LeakError';
    this.report = report; // the path of the page
  }
}

function isCount(value, least) {
  return Number.isInteger(value) && value >= least;
}

function settingsOf(options) {
  const unknown = Object.keys(options).filter(name => !(name in DEFAULTS));
  if (unknown.length > 0) throw new TypeError(`hsdiff: there is no option '${unknown[0]}'; there are ${Object.keys(DEFAULTS).join(', ')}`);
  const settings = Object.assign({}, DEFAULTS, options);
  if (!isCount(settings.rounds, 2)) throw new TypeError('hsdiff: rounds is a number, 2 or more');
  if (!isCount(settings.calls, 1)) throw new TypeError('hsdiff: calls is a number, 1 or more');
  if (!Array.isArray(settings.allow)) throw new TypeError('hsdiff: allow is a list of holders, such as ["*.pageCache*"]');
  return settings;
}

// ---- the command

function run(words) {
  const done = spawnSync(process.env.HSDIFF || 'hsdiff', words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26});
  if (done.error && done.error.code === 'ENOENT') throw new Error(`hsdiff: ${MISSING}`);
  if (done.error) throw done.error;
  return done;
}

// Before any work: a test that cannot be judged says so at once.
function demandCommand() {
  const done = run(['--version']);
  if (done.status !== PASSED) throw new Error(`hsdiff: ${process.env.HSDIFF || 'hsdiff'} does not run: ${done.stderr}`);
}

function rulesOf(settings) {
  const limit = most => (settings.maxGrowth === 'auto' ? most : `${settings.maxGrowth} per round`);
  return {
    check: {warmup: 1},
    rules: [
      {name: 'nothing holds more after each round', holder: '*', max_growth: limit('auto')},
      {name: 'the heap is no larger after each round', metric: 'total.bytes', max_growth: limit('1 % per round')},
    ],
    allow: settings.allow.map(holder => ({holder, reason: 'allowed by the test'})),
  };
}

// ---- what is told

const reported = new Map(); // names of pages of this process, with how many had it

// Moves the page of a failure to where it stays.
function keepPage(page, name) {
  const folder = path.resolve(process.env.HSDIFF_REPORTS || 'hsdiff-reports');
  const base = name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+/, '').slice(0, 80) || 'leak';
  const number = (reported.get(base) || 0) + 1;
  const kept = path.join(folder, number > 1 ? `${base}-${number}.html` : `${base}.html`);
  reported.set(base, number);
  fs.mkdirSync(folder, {recursive: true});
  fs.copyFileSync(page, kept);
  return kept;
}

// Of the diff of the first and the last round: its answer, and what keeps it alive.
function heldBy(before, after) {
  const done = run(['-q', '--color', 'never', before, after]);
  const parts = done.status === PASSED ? done.stdout.split('\n\n') : [];
  return parts.filter(part => /^(Live heap|WHAT KEEPS IT ALIVE)/.test(part));
}

// The rules that failed, without the names of the captures and of the rules, which are no more.
function verdictOf(text) {
  return text.split('\n\n').filter(part => part.trimStart().startsWith('RULE ')).join('\n\n').trimEnd();
}

function messageOf(settings, done, captures, report) {
  return [
    `${settings.name || 'the function'} leaks: something grew in each of ${settings.rounds} rounds.`,
    ...heldBy(captures[1], captures[captures.length - 1]),
    verdictOf(done.stdout),
    `Report: ${report}`,
  ].join('\n\n');
}

// ---- the rounds

// A snapshot collects garbage first. The one of the first round is warm-up and does not count.
async function takeRounds(fn, settings, folder) {
  const captures = [];
  for (let round = 0; round < settings.rounds + 2; round++) {
    for (let call = 0; call < settings.calls; call++) await fn();
    await new Promise(resolve => setImmediate(resolve)); // what ends with the turn of the loop has ended
    captures.push(v8.writeHeapSnapshot(path.join(folder, `round-${round}.heapsnapshot`)));
  }
  return captures;
}

function judge(settings, captures, folder) {
  const rules = path.join(folder, 'rules.yml');
  const page = path.join(folder, 'page.html');
  fs.writeFileSync(rules, JSON.stringify(rulesOf(settings)));
  const done = run(['check', '-q', '--top', '1', '--color', 'never', '--config', rules, '--html', page, ...captures]);
  if (done.status === PASSED) return null;
  if (done.status !== FAILED) throw new Error(`hsdiff check: ${(done.stderr + done.stdout).trim()}`);
  const report = keepPage(page, settings.name);
  return new LeakError(messageOf(settings, done, captures, report), report);
}

// A LeakError where fn leaks, else null.
async function findLeak(fn, options = {}) {
  if (typeof fn !== 'function') throw new TypeError('hsdiff: a function is needed that can be called again and again');
  const settings = settingsOf(options);
  settings.name = settings.name || fn.name;
  demandCommand();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hsdiff-'));
  try {
    return judge(settings, await takeRounds(fn, settings, folder), folder);
  } finally {
    fs.rmSync(folder, {recursive: true, force: true});
  }
}

async function assertNoLeak(fn, options = {}) {
  const leak = await findLeak(fn, options);
  if (leak) throw leak;
}

// await expect(fn).not.toLeak(options): for expect.extend() of Jest and Vitest.
async function toLeak(fn, options = {}) {
  const test = this && this.currentTestName;
  const leak = await findLeak(fn, Object.assign(test ? {name: test} : {}, options));
  return {pass: leak !== null, message: () => (leak ? leak.message : 'nothing grew in every round')};
}

module.exports = {assertNoLeak, findLeak, toLeak, LeakError};
