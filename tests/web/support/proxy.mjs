/*
 * A proxy that a browser is told to use for everything, so that whatever leaves a page is seen: it notes each request, passes on those to the
 * one host that is allowed (the viewer's), and refuses all others.
 */
import http from "node:http";

/** `allowed`: "127.0.0.1:4711", or null. */
export async function startProxy(allowed = null) {
  const seen = [];
  const server = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const url = URL.canParse?.(request.url) === false ? null : new URL(request.url, "http://none.invalid");
    if (allowed === null || url?.host !== allowed) return void response.writeHead(502).end();
    const onward = http.request(url, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.on("connect", (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    seen,
    /** Those that were not allowed. */
    strays: () => seen.filter((each) => allowed === null || !each.includes(` http://${allowed}/`)),
    options: { server: `http://127.0.0.1:${server.address().port}`, bypass: "<-loopback>" },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
