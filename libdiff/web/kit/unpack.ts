/*
 * From the data of a page to its model: base64, gzip, lines, records. All in pieces, with a breath between them, so that a page of a
 * hundred thousand types can be scrolled while it is read.
 */
import { addLine, emptyModel, finish, type Model } from "./model.ts";

/** How long the page may be kept from drawing at a time, in milliseconds. */
const breathMs = 24;

function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> {
  const packed = atob(base64);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  return bytes;
}

function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Reads gzip of NDJSON. Throws an Error whose message a reader of the page can use. */
export async function readPacked(packed: Uint8Array<ArrayBuffer>): Promise<Model> {
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser cannot unpack the data (it has no DecompressionStream): Chrome 80, Firefox 113 or Safari 16.4 can");
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const model = emptyModel();
  let rest = "";
  let lineNumber = 0;
  let since = performance.now();
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    let start = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", start)) {
      addLine(model, rest.slice(start, end), ++lineNumber);
      start = end + 1;
      if (performance.now() - since > breathMs) {
        await breathe();
        since = performance.now();
      }
    }
    rest = rest.slice(start);
    if (done) break;
  }
  addLine(model, rest, lineNumber + 1);
  finish(model);
  return model;
}

/** Reads the data that stands in the page. */
export async function readEmbedded(element: HTMLElement): Promise<Model> {
  return readPacked(bytesOfBase64((element.textContent ?? "").trim()));
}
