/*
 * Colours of the pictures that are drawn pixel by pixel, made of the few that the style names (charts.css), so that themes and
 * forced colours hold on a canvas too. Growth and decrease differ in hue, lightness and hatch; of each there are three shades,
 * which tell neighbours apart and mean nothing.
 */

export type Rgb = readonly [number, number, number];

export interface Ink {
  readonly rgb: Rgb;
  readonly pixel: number; /* as it stands in ImageData */
  readonly css: string;
  readonly text: string; /* a colour that can be read on it */
}

/** What the style names. */
export interface Colours {
  readonly paper: Rgb;
  readonly growth: Rgb;
  readonly decrease: Rgb;
  readonly rest: Rgb; /* what cancels, and what did not change */
  readonly dim: Rgb; /* not found */
  readonly mark: Rgb; /* found */
  readonly ring: Rgb; /* focus */
}

export interface Inks {
  readonly paper: Ink;
  readonly rest: Ink;
  readonly dim: Ink;
  readonly mark: Ink;
  readonly ring: Ink;
  readonly hatch: Ink; /* lines across a decrease */
  readonly growth: readonly Ink[]; /* shades */
  readonly decrease: readonly Ink[];
  readonly grown: readonly Ink[]; /* from as it was to all of it new */
  readonly shrunk: readonly Ink[];
}

const isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
const shift = isLittleEndian ? [0, 8, 16, 24] : [24, 16, 8, 0];

function pixelOf([red, green, blue]: Rgb): number {
  return ((red << shift[0]!) | (green << shift[1]!) | (blue << shift[2]!) | (255 << shift[3]!)) >>> 0;
}

function byteOf(pixel: number, channel: number): number {
  return (pixel >>> shift[channel]!) & 255;
}

/** A share `t` of the way from one pixel to another. */
export function blend(from: number, to: number, t: number): number {
  const mix = (channel: number) => Math.round(byteOf(from, channel) + (byteOf(to, channel) - byteOf(from, channel)) * t);
  return pixelOf([mix(0), mix(1), mix(2)]);
}

export function mixed(from: Rgb, to: Rgb, t: number): Rgb {
  return [0, 1, 2].map((i) => Math.round(from[i]! + (to[i]! - from[i]!) * t)) as unknown as Rgb;
}

/* ---- contrast, as WCAG 2 has it ---- */

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const dark: Rgb = [0, 0, 0]; /* one of these two has 4.58:1 on any colour */
const light: Rgb = [255, 255, 255];

/** Dark or light, whichever is read better on all of `grounds`. */
export function textOn(...grounds: readonly Rgb[]): Rgb {
  const worst = (text: Rgb) => Math.min(...grounds.map((ground) => contrast(text, ground)));
  return worst(dark) >= worst(light) ? dark : light;
}

/* ---- inks ---- */

function cssOf(rgb: Rgb): string {
  return `rgb(${rgb.join(", ")})`;
}

/** `under` is what else text on it may stand on. */
export function inkOf(rgb: Rgb, ...under: readonly Rgb[]): Ink {
  return { rgb, pixel: pixelOf(rgb), css: cssOf(rgb), text: cssOf(textOn(rgb, ...under)) };
}

const shadeSteps = [0, 0.07, 0.14];
const rampSteps = 12;

function ramp(from: Rgb, to: Rgb, ...under: readonly Rgb[]): Ink[] {
  return Array.from({ length: rampSteps + 1 }, (_, i) => inkOf(mixed(from, to, i / rampSteps), ...(i > 0 ? under : [])));
}

const readable = 4.6; /* of text on a line of the hatch; WCAG asks for 4.5 */
const strongest = 0.4;

/* Lines across `ground`: lighter or darker, whichever shows more of them and leaves the text on it readable. */
function hatchOn(ground: Rgb): Rgb {
  const text = textOn(ground);
  const away = mixed(ground, textOn(text), strongest);
  let step = strongest;
  while (step > 0 && contrast(mixed(ground, text, step), text) < readable) step -= 0.02;
  const towards = mixed(ground, text, Math.max(0, step));
  return contrast(towards, ground) > contrast(away, ground) ? towards : away;
}

export function inksOf(colours: Colours): Inks {
  const { paper, growth, decrease, rest } = colours;
  const away = textOn(paper); /* shades go away from the paper, so none is fainter than the colour itself */
  const hatch = hatchOn(decrease);
  return {
    paper: inkOf(paper),
    rest: inkOf(rest),
    dim: inkOf(colours.dim),
    mark: inkOf(colours.mark),
    ring: inkOf(colours.ring),
    hatch: inkOf(hatch),
    growth: shadeSteps.map((step) => inkOf(mixed(growth, away, step))),
    decrease: shadeSteps.map((step) => inkOf(mixed(decrease, away, step), hatch)),
    grown: ramp(rest, growth),
    shrunk: ramp(rest, decrease, hatch),
  };
}

/** "rgb(1, 2, 3)", "rgba(…)", "color(srgb 0 0.5 1)", "#123456" or "#123"; anything else is black. */
export function parseColour(text: string): Rgb {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1];
  if (hex) {
    const size = hex.length / 3;
    return [0, 1, 2].map((i) => parseInt(hex.slice(i * size, (i + 1) * size).repeat(2 / size), 16)) as unknown as Rgb;
  }
  const parts =
    text
      .match(/[\d.]+/g)
      ?.slice(0, 3)
      .map(Number) ?? [];
  const scale = text.startsWith("color(") ? 255 : 1;
  return parts.length === 3 ? (parts.map((part) => Math.round(part * scale)) as unknown as Rgb) : [0, 0, 0];
}

const names = ["paper", "growth", "decrease", "rest", "dim", "mark", "ring"] as const;

/** The colours that hold inside `host` now: each is asked of the style as the text colour of a probe. */
export function coloursIn(host: Element): Colours {
  const probe = document.createElement("i");
  probe.hidden = true;
  host.appendChild(probe);
  const found = names.map((name) => {
    probe.className = `ink-${name}`;
    return [name, parseColour(getComputedStyle(probe).color)] as const;
  });
  probe.remove();
  return Object.fromEntries(found) as unknown as Colours;
}

/** Calls `changed` when the theme does: the system's, or the one chosen on the page. */
export function watchTheme(changed: () => void): void {
  new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"])
    matchMedia(query).addEventListener("change", changed);
}
