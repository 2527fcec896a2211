// What DevTools says of every node of a heap snapshot, as CSV: id, type of the node, name, self size, retained size.
//
//   node [--max-old-space-size=MIB] retained.mjs FOLDER SNAPSHOT OUT.csv
//
// FOLDER is where setup.sh put the bundle. Self sizes are as in the file: DevTools' retained sizes are sums of those.
import * as fs from 'node:fs';
import {isMain, load} from './load.mjs';

async function main() {
  const [file, out] = process.argv.slice(3, 5);
  const start = performance.now();
  const snapshot = await load(file);
  console.log(JSON.stringify({load_ms: Math.round(performance.now() - start), peak_rss_kib: process.resourceUsage().maxRSS}));
  const stream = fs.openSync(out, 'w');
  let lines = ['id,kind,name,bytes,retained_bytes'];
  for (let ordinal = 0; ordinal < snapshot.nodeCount; ordinal++) {
    const node = snapshot.createNode(ordinal * snapshot.nodeFieldCount);
    const name = node.rawName().slice(0, 80).replace(/["\r\n]/g, ' ');
    lines.push(`${node.id()},${node.type()},"${name}",${node.selfSize()},${node.retainedSize()}`);
    if (lines.length === 10000) {
      fs.writeSync(stream, lines.join('\n') + '\n');
      lines = [];
    }
  }
  lines.push('');
  fs.writeSync(stream, lines.join('\n'));
  fs.closeSync(stream);
  process.exit(0);
}

if (isMain) {
  await main();
}
