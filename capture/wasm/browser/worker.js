// The Worker of a page with a WebAssembly program: runs the program, and writes its captures into files of the origin's private file
// system as they come. No byte of a capture stays in the memory of the tab; the page gets a File, which is a name for what is on the disk.
//
// Messages in: {verb: "load", url}, {verb: "call", name, args}, {verb: "capture", file}, {verb: "forget", file}; each is answered by
// {id, value} or {id, error}.
'use strict';

let instance = null;
let out = null; // {handle, at}: of the capture under way

// What wasi-libc asks for: a clock, random bytes; there are no files.
const NOT_THERE = 52, BAD_DESCRIPTOR = 8;
const view = () => new DataView(instance.exports.memory.buffer);
const wasi = {
  clock_time_get(clock, precision, at) {
    view().setBigUint64(at, BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6)), true);
    return 0;
  },
  random_get(at, size) {
    for (let i = 0; i < size; i += 65536) crypto.getRandomValues(new Uint8Array(instance.exports.memory.buffer, at + i, Math.min(65536, size - i)));
    return 0;
  },
  fd_prestat_get: () => BAD_DESCRIPTOR, // by which the library knows that no folder is open
  proc_exit(code) { throw new Error('the program ended with ' + code); },
};
const missing = new Proxy(wasi, {get: (known, name) => known[name] || (() => NOT_THERE)});

function write(at, size) {
  // A view of a memory that may have grown since the last call.
  const taken = out.handle.write(new Uint8Array(instance.exports.memory.buffer, at, size), {at: out.at});
  out.at += taken;
  return taken;
}

const verbs = {
  async load({url}) {
    const module = await WebAssembly.compileStreaming(fetch(url));
    const imports = {hsdiff: {write}};
    for (const one of WebAssembly.Module.imports(module)) if (one.module !== 'hsdiff') imports[one.module] = missing;
    instance = await WebAssembly.instantiate(module, imports);
    if (instance.exports._initialize) instance.exports._initialize();
    return WebAssembly.Module.exports(module).map(one => one.name);
  },

  async call({name, args}) { return instance.exports[name](...args); },

  async capture({file}) {
    const folder = await navigator.storage.getDirectory();
    const entry = await folder.getFileHandle(file, {create: true});
    const handle = await entry.createSyncAccessHandle();
    handle.truncate(0);
    out = {handle, at: 0};
    let status = 1;
    try {
      status = instance.exports.hsdiff_capture();
      handle.flush();
    } finally {
      handle.close();
      out = null;
      if (status !== 0) await folder.removeEntry(file);
    }
    if (status !== 0) throw new Error('the capture was cut off: is there room left for this site?');
    return entry.getFile();
  },

  async forget({file}) { await (await navigator.storage.getDirectory()).removeEntry(file); },
};

self.onmessage = async ({data}) => {
  try {
    self.postMessage({id: data.id, value: await verbs[data.verb](data)});
  } catch (error) {
    self.postMessage({id: data.id, error: String(error && error.message || error)});
  }
};
