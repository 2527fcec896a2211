// Loads a snapshot with DevTools' own loader and a second worker thread, which runs this very module, as in the browser.
//
//   import {load, isMain} from './load.mjs';      FOLDER of the bundle is the program's first argument
import * as fs from 'node:fs';
import * as path from 'node:path';
import {pathToFileURL} from 'node:url';
import {Worker, isMainThread, workerData} from 'node:worker_threads';

// Node before 22 has no Promise.withResolvers, which the modules call.
Promise.withResolvers ??= function() {
  let resolve, reject;
  const promise = new Promise((yes, no) => { resolve = yes; reject = no; });
  return {promise, resolve, reject};
};

const folder = isMainThread ? process.argv[2] : workerData.folder;
if (!folder) {
  console.error('the first argument is the folder of the bundle (setup.sh)');
  process.exit(2);
}
const {HeapSnapshotLoader, SecondaryInitManager} =
    await import(pathToFileURL(path.resolve(folder, 'bundle.mjs')).href);

export const isMain = isMainThread;
if (!isMainThread) {
  new SecondaryInitManager(workerData.port);
}

export async function load(file) {
  const {port1, port2} = new MessageChannel();
  const worker = new Worker(new URL(import.meta.url), {workerData: {folder, port: port2}, transferList: [port2]});
  const loader = new HeapSnapshotLoader({sendEvent() {}});
  // 10 MB chunks, as the Memory panel reads a file.
  const stream = fs.createReadStream(file, {encoding: 'utf8', highWaterMark: 10_000_000});
  const built = loader.buildSnapshot(port1);
  for await (const chunk of stream) {
    loader.write(chunk);
  }
  loader.close();
  const snapshot = await built;
  port1.close();
  await worker.terminate();
  return snapshot;
}
