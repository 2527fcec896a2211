// The Node host of a WebAssembly program with wasm_heap.c in it: gives it the import "hsdiff" "write", which goes into a file as it comes.
//
//      import {host} from './node.mjs';
//      const program = await host('program.wasm');       // a reactor: program.exports
//      program.capture('before.hs');                     // whole or not there, 0600
import fs from 'node:fs';
import {WASI} from 'node:wasi';

export async function host(path, options = {}) {
  const wasi = new WASI({version: 'preview1', args: [path], env: {}, ...options});
  let fd = -1;
  let failure = null;
  // The memory may have grown since the last call: a fresh view each time. Returns how many bytes were taken.
  const write = (at, size) => {
    try {
      return fs.writeSync(fd, new Uint8Array(instance.exports.memory.buffer, at, size));
    } catch (error) {
      failure = error;
      return -1;
    }
  };
  const module = await WebAssembly.compile(fs.readFileSync(path));
  const instance = await WebAssembly.instantiate(module, {...wasi.getImportObject(), hsdiff: {write}});
  wasi.initialize(instance);

  // `produce` writes a whole capture and returns 0; by default it is the program's own.
  function capture(file, produce = instance.exports.hsdiff_capture) {
    const part = file + '.part';
    const {O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW} = fs.constants;
    fd = fs.openSync(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    failure = null;
    try {
      if (produce() !== 0) throw failure || new Error('the capture was cut off');
      fs.renameSync(part, file);
    } catch (error) {
      fs.unlinkSync(part);
      throw error;
    } finally {
      fs.closeSync(fd);
      fd = -1;
    }
  }

  return {exports: instance.exports, capture};
}
