/*
 * Names of types, fields, roots and files as text. They are foreign: what is hidden in them is shown the way hsd_escape does
 * (libdiff/report/words/escape.c), so that a name looks the same in a terminal, in the static page and here.
 */

/* First and last of each range of characters that are not what they seem; as in escape.c. */
const hidden: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

function isHidden(code: number): boolean {
  if (code >= 0x20 && code < 0x7f) return false;
  return hidden.some(([first, last]) => code >= first && code <= last);
}

function mark(code: number): string {
  const digits = code.toString(16);
  if (code < 0x80) return `\\x${digits.padStart(2, "0")}`;
  return code > 0xffff ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
}

const looksLikeMark = /^(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/;

/* A backslash that would be read together with what follows it is doubled. */
function isAmbiguous(characters: readonly string[], at: number): boolean {
  const next = characters[at + 1];
  if (next === undefined) return false;
  return next === "\\" || isHidden(next.codePointAt(0)!) || looksLikeMark.test(characters.slice(at + 1, at + 10).join(""));
}

const plain = /^[\x20-\x5b\x5d-\x7e]*$/;

/** A name as text that shows all it holds: "\x1b", "\u202e". */
export function visible(name: string): string {
  if (plain.test(name)) return name;
  const characters = [...name];
  return characters
    .map((character, at) => {
      const code = character.codePointAt(0)!;
      if (isHidden(code)) return mark(code);
      return character === "\\" && isAmbiguous(characters, at) ? "\\\\" : character;
    })
    .join("");
}

/* Drops what stands between the outermost < and >, unless the name begins with it; null if they do not pair. */
function collapse(name: string): string | null {
  let depth = 0;
  let text = "";
  for (let i = 0; i < name.length; i++) {
    if (name[i] === ">" && depth > 0 && --depth === 0) text += "…";
    if (depth === 0) text += name[i];
    if (name[i] === "<" && i > 0) depth++;
  }
  return depth === 0 ? text : null;
}

/**
 * At most `width` characters of a name: what stands in <> goes first, then the middle, as in libdiff/report/words/shorten.c. The full
 * name belongs into a title or beside it: two names may look alike when they are cut.
 */
export function shorten(name: string, width: number): string {
  if ([...name].length <= width) return name;
  const collapsed = collapse(name) ?? name;
  const characters = [...collapsed];
  if (characters.length <= width) return collapsed;
  const room = Math.max(1, width - 1);
  const tail = Math.floor(room / 2);
  return `${characters.slice(0, room - tail).join("")}…${tail > 0 ? characters.slice(-tail).join("") : ""}`;
}
