// The page's side of worker.js: const program = await hsdiffProgram("program.wasm"); await program.capture("before.hs") offers the
// capture as a download.
'use strict';

async function hsdiffProgram(url) {
  const worker = new Worker('worker.js');
  const waiting = new Map();
  let last = 0;
  worker.onmessage = ({data}) => {
    const {resolve, reject} = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) resolve(data.value);
    else reject(new Error(data.error));
  };
  const ask = message => new Promise((resolve, reject) => {
    waiting.set(++last, {resolve, reject});
    worker.postMessage({...message, id: last});
  });
  const exports = await ask({verb: 'load', url: new URL(url, location.href).href});
  return {
    exports,
    call: (name, ...args) => ask({verb: 'call', name, args}),
    // A link to a file on the disk: the browser copies it from there. It is removed by forget(), or with the site's data.
    async capture(file) {
      const saved = await ask({verb: 'capture', file});
      const link = document.createElement('a');
      link.href = URL.createObjectURL(saved);
      link.download = file;
      link.textContent = `${file}: ${saved.size} bytes`;
      document.body.append(link, document.createElement('br'));
      link.click();
      return saved.size;
    },
    forget: file => ask({verb: 'forget', file}),
  };
}
