/*
 * Ages: of what came in one interval, how much was alive at the end of each later one. Pure.
 */
import type { Capture, Cohort } from "../kit/model.ts";

export interface AgeCell {
  readonly objects: number;
  readonly bytes: number;
  readonly share: number; /* of what came, 0 to 1 */
}

export interface AgeRow {
  readonly title: string;
  readonly came: number; /* bytes */
  readonly cells: readonly (AgeCell | null)[]; /* one for each cohort; null before it came */
  readonly isFirst: boolean; /* what was there at the first capture */
}

/** Labels of captures: "run 3", or "run 3 to run 5" for those that share a cohort. */
export function cohortTitle(cohort: Cohort, captures: readonly Capture[]): string {
  const name = (i: number) => captures[i]?.label ?? `capture ${i + 1}`;
  return cohort.first === cohort.last ? name(cohort.first) : `${name(cohort.first)} to ${name(cohort.last)}`;
}

/** A row for each cohort, in their order. */
export function ageRows(cohorts: readonly Cohort[], captures: readonly Capture[]): AgeRow[] {
  return cohorts.map((cohort, born) => {
    const came = cohort.alive[0]?.bytes ?? 0;
    const cells = cohorts.map((_, at): AgeCell | null => {
      const alive = at >= born ? cohort.alive[at - born] : undefined;
      return alive ? { ...alive, share: came > 0 ? Math.min(1, alive.bytes / came) : 0 } : null;
    });
    return { title: cohortTitle(cohort, captures), came, cells, isFirst: born === 0 };
  });
}

/** Of what came after the first capture and before the last: bytes that came, and that were alive at the end. */
export function stayed(rows: readonly AgeRow[]): { readonly came: number; readonly alive: number } {
  const middle = rows.slice(1, -1);
  const last = (row: AgeRow) => row.cells[row.cells.length - 1]?.bytes ?? 0;
  return { came: middle.reduce((sum, row) => sum + row.came, 0), alive: middle.reduce((sum, row) => sum + last(row), 0) };
}
