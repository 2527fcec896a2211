"""Chromium's own DevTools, which open a heap snapshot: the modules that its Memory panel runs on, as this Chromium ships them.

A headless browser is steered by chromedriver. Its debugging port serves the files of DevTools themselves, so the page imports the loader from
there, starts the worker that the panel starts beside it, streams the file into the loader and asks the snapshot what the panel asks.
"""
import functools
import http.server
import json
import subprocess
import threading
import urllib.error
import urllib.request

import kit

MODULES = "/devtools/entrypoints/heap_snapshot_worker/"

LOAD = """
const [base, file] = [arguments[0], arguments[1]];
const modules = await import(base + 'heap_snapshot_worker.js');
const {port1, port2} = new MessageChannel();
const worker = new Worker(base + 'heap_snapshot_worker-entrypoint.js', {type: 'module'});
await new Promise(ready => { worker.onmessage = ready; });
worker.postMessage({disposition: 'setupForSecondaryInit', callId: 1, objectId: 1}, [port2]);
const loader = new modules.HeapSnapshotLoader.HeapSnapshotLoader({sendEvent() {}});
const built = loader.buildSnapshot(port1);
const reader = (await fetch(file)).body.pipeThrough(new TextDecoderStream()).getReader();
for (;;) {
  const {done, value} = await reader.read();
  if (done) break;
  loader.write(value);
}
loader.close();
const snapshot = await built;
port1.close();
worker.terminate();
"""

# What the panel shows: totals, the Summary view by class, and nodes with what the Retainers view says of them.
SUMMARY = LOAD + """
const classes = {};
const aggregates = snapshot.aggregatesWithFilter({});
for (const key of Object.keys(aggregates)) {
  const a = aggregates[key];
  // What looks alike among plain objects is told apart by its properties: {id, name}. All of it is Object here.
  const row = classes[a.name.startsWith('{') ? 'Object' : a.name] ??= {objects: 0, bytes: 0};
  row.objects += a.count;
  row.bytes += a.self;
}
const ids = new Set(arguments[2]);
const nodes = {};
for (let ordinal = 0; ordinal < snapshot.nodeCount; ordinal++) {
  const node = snapshot.createNode(ordinal * snapshot.nodeFieldCount);
  if (!ids.has(node.id())) continue;
  const retainers = [];
  for (let i = node.retainers(); i.hasNext() && retainers.length < 20; i.next())
    retainers.push([i.retainer.type(), String(i.retainer.name()), i.retainer.node().rawName()]);
  const edges = [];
  for (let i = node.edges(); i.hasNext() && edges.length < 200; i.next())
    edges.push([i.edge.type(), String(i.edge.name()), i.edge.node().id()]);
  nodes[node.id()] = {type: node.type(), name: node.rawName(), class: node.className(), size: node.selfSize(), retained: node.retainedSize(),
                      distance: node.distance(), retainers, edges};
}
return {node_count: snapshot.nodeCount, total: snapshot.totalSize, classes, nodes};
"""



class Quiet(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *_):
        pass


class DevTools:
    """A context manager: files of `folder` can be opened."""

    def __init__(self, folder):
        kit.need("chromium", "chromedriver")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.session = self.url = None
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.url = f"http://127.0.0.1:{line.split()[-1].rstrip('.')}"
                break
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]}
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}})
        self.session = answer["sessionId"]
        self.version = answer["capabilities"]["browserVersion"]
        self.origin = "http://" + answer["capabilities"]["goog:chromeOptions"]["debuggerAddress"]
        self.ask("POST", "/timeouts", {"script": 120000})
        # A page of the same origin as the modules, without rules of its own on what a script may load.
        self.ask("POST", "/url", {"url": self.origin + "/json/version"})

    def ask(self, method, path, body=None):
        base = self.url if self.session is None else f"{self.url}/session/{self.session}"
        request = urllib.request.Request(base + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=150) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as error:
            raise kit.Failed(f"chromedriver {path}: {error.read().decode()[:600]}") from error

    def run(self, script, *arguments):
        """The value of an async function's body in the page."""
        body = ("const done = arguments[arguments.length - 1]; (async function() {" + script +
                "}).apply(null, [...arguments].slice(0, -1)).then(v => done({v}), e => done({e: String(e && e.stack || e)}));")
        answer = self.ask("POST", "/execute/async", {"script": body, "args": list(arguments)})
        kit.check("e" not in answer, f"DevTools says {answer.get('e')}")
        return answer.get("v")

    def open(self, name, ids=()):
        """What DevTools says of the file: {node_count, total, classes: {name: {objects, bytes}}, nodes: {id: …}} of nodes of these ids."""
        file = f"http://127.0.0.1:{self.server.server_port}/{name}"
        said = self.run(SUMMARY, self.origin + MODULES, file, list(ids))
        said["nodes"] = {int(key): value for key, value in said["nodes"].items()}
        return said

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "")
        except (kit.Failed, OSError):
            pass
        self.server.shutdown()
        self.server.server_close()
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
