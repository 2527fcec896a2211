/*
 * Building HTML out of elements and text nodes. Names of types, fields and roots are hostile: they only ever become text
 * nodes or values of plain attributes, never markup.
 */

export type Child = Node | string | number | null | undefined | false;
export type Handler = (event: never) => void;
/** Attributes by name; "on…" takes a listener; true is an attribute without a value; null, undefined and false leave it out. */
export type Attributes = { readonly [name: string]: string | number | boolean | null | undefined | Handler };

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as unknown as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

export function append(parent: Node, ...children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.appendChild(typeof child === "object" ? child : document.createTextNode(String(child)));
  }
}

/** An element with attributes and children. Sizes and places that vary are set on .style (a style attribute is refused by the CSP). */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes | null = null,
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (attributes) setAttributes(element, attributes);
  append(element, ...children);
  return element;
}

const svgNamespace = "http://www.w3.org/2000/svg";

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes | null = null,
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(svgNamespace, tag);
  if (attributes) setAttributes(element, attributes);
  append(element, ...children);
  return element;
}

export function clear(element: Element): void {
  while (element.firstChild) element.removeChild(element.firstChild);
}

/** Clears `element` and puts `children` there. */
export function fill(element: Element, ...children: readonly Child[]): void {
  clear(element);
  append(element, ...children);
}

export function byId(id: string): HTMLElement | null {
  return document.getElementById(id);
}

/** A button that acts and does not submit. */
export function button(label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return el("button", { type: "button", ...attributes, onclick: act }, label);
}
