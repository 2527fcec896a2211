/*
 * Numbers as people read them: byte for byte what libdiff/report/words/number.c writes, so that the page and the text report never
 * differ. Sizes come as JSON numbers; up to 2^53 - 1 bytes they are exact, and so is what is made of them here: rounding is done
 * in integers (BigInt where a product may pass 2^53).
 */

const units = "KMGTPE";

/* value / 2^shift in parts of 1 / parts, rounded half up. */
function scaled(value: number, shift: number, parts: number): number {
  const divisor = 2 ** shift;
  if (value < 2 ** 43) return Math.floor((value * parts + divisor / 2) / divisor); /* exact: below 2^53 */
  return Number((BigInt(value) * BigInt(parts) + BigInt(divisor / 2)) >> BigInt(shift));
}

/* (part * parts + whole / 2) / whole in whole numbers, as C divides. */
function rounded(part: number, parts: number, whole: number): number {
  if (part < 2 ** 42 && whole < 2 ** 52) return Math.floor((part * parts + Math.floor(whole / 2)) / whole);
  return Number((BigInt(part) * BigInt(parts) + BigInt(whole) / 2n) / BigInt(whole));
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

let isExact = false;

/** From now on bytes() and bytesSigned() tell every byte, as --bytes asks. */
export function tellEveryByte(): void {
  isExact = true;
}

/** "0", "900 B", "1000.0 KiB", "6.84 MiB": three figures or more. */
export function bytes(value: number): string {
  return isExact ? exact(value) : rounded3(value);
}

function rounded3(value: number): string {
  if (value < 1024) return value === 0 ? "0" : `${value} B`;
  let unit = 0;
  while (unit < 5 && scaled(value, 10 * (unit + 1), 10) >= 10240) unit++;
  const shift = 10 * (unit + 1);
  const hundredths = scaled(value, shift, 100);
  const tenths = scaled(value, shift, 10);
  const figures =
    hundredths < 1000
      ? `${Math.floor(hundredths / 100)}.${two(hundredths % 100)}`
      : `${Math.floor(tenths / 10)}.${tenths % 10}`;
  return `${figures} ${units[unit]}iB`;
}

function signedForm(value: number, form: (magnitude: number) => string): string {
  if (value === 0) return form(0);
  return (value < 0 ? "-" : "+") + form(Math.abs(value));
}

/** "+5.86 MiB", "-7.50 KiB", "0". */
export function bytesSigned(value: number): string {
  return signedForm(value, bytes);
}

/** "1,030,412". */
export function count(value: number): string {
  const digits = String(value);
  let text = "";
  for (let i = 0; i < digits.length; i++) {
    if (i > 0 && (digits.length - i) % 3 === 0) text += ",";
    text += digits[i];
  }
  return text;
}

export function countSigned(value: number): string {
  return signedForm(value, count);
}

/** "131,909,632 B": exact, and always in bytes. */
export function exact(value: number): string {
  return value === 0 ? "0" : `${count(value)} B`;
}

export function exactSigned(value: number): string {
  return signedForm(value, exact);
}

/** `part` of `whole`, which is no less: "38%", "2.1%", "<0.1%"; "0%" when either is 0. */
export function share(part: number, whole: number): string {
  if (part === 0 || whole === 0) return "0%";
  const tenths = rounded(part, 1000, whole);
  if (tenths === 0) return "<0.1%";
  if (tenths < 100) return `${Math.floor(tenths / 10)}.${tenths % 10}%`;
  return `${rounded(part, 100, whole)}%`;
}

/** |part| of |whole| in whole percent, rounded; 0 when whole is 0. */
export function percentOf(part: number, whole: number): number {
  if (whole === 0) return 0;
  return Math.min(1000000, rounded(Math.abs(part), 100, Math.abs(whole)));
}

/** Growth as a share of `before`: "+63%", "-7%", "+0.4%"; above +999 % the ratio, "x281"; "[NEW]", "[DEL]", "[ = ]". */
export function percent(before: number, after: number): string {
  if (before === after) return "[ = ]";
  if (before === 0) return "[NEW]";
  if (after === 0) return "[DEL]";
  const change = Math.abs(after - before);
  const sign = before < after ? "+" : "-";
  const tenths = rounded(change, 1000, before);
  if (tenths > 9990) return `x${count(rounded(after, 1, before))}`;
  if (tenths < 10) return `${sign}0.${tenths}%`;
  return `${sign}${rounded(change, 100, before)}%`;
}

/** "1 object", "2 objects". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** "9.5 s", "12 s", "1m 02s", "1h 00m", "3d 04h". */
export function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds >= 86400) return `${Math.floor(seconds / 86400)}d ${two(Math.floor(seconds / 3600) % 24)}h`;
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}h ${two(Math.floor(seconds / 60) % 60)}m`;
  if (seconds >= 60) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  if (seconds >= 10) return `${seconds} s`;
  return `${seconds}.${Math.floor((milliseconds % 1000) / 100)} s`;
}

/** "2026-11-20 09:14:02Z" in milliseconds since 1970, or null. */
export function moment(text: string | null): number | null {
  const match = text === null ? null : /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)Z$/.exec(text);
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [number, number, number, number, number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
