/*
 * Reading JSON whose shape is not to be relied on: what is missing or of another kind reads as nothing. A page may be older or newer
 * than its data, and must show what it understands.
 */

export type Json = { readonly [key: string]: unknown };

export function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function texts(value: unknown): string[] {
  return list(value).filter((each): each is string => typeof each === "string");
}

export function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function numbers(value: unknown): number[] {
  return list(value).map(number);
}

/** A whole number from 0 up. */
export function natural(value: unknown): number {
  return Math.max(0, Math.trunc(number(value)));
}

export function flag(value: unknown): boolean {
  return value === true;
}
