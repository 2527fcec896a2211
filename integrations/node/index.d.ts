export interface NoLeakOptions {
  /** Rounds that are judged, after two of warm-up. 5 by default, 2 at least. */
  rounds?: number;
  /** How often a round calls the function. 1 by default. */
  calls?: number;
  /** How much each round may leave behind: "64 KiB", "0.1 %". By default hsdiff chooses by the size of the heap and the number of rounds. */
  maxGrowth?: string;
  /** Holders that may grow, as globs or /expressions/: "*.pageCache*". */
  allow?: string[];
  /** What the message and the page are called. The name of the function by default. */
  name?: string;
}

export class LeakError extends Error {
  constructor(message: string, report: string);
  /** The path of the page that shows the growth. */
  report: string;
}

/** Runs the function in rounds, and rejects with a LeakError where something grew in every round. */
export function assertNoLeak(fn: () => unknown, options?: NoLeakOptions): Promise<void>;

/** The same, and resolves with the error, or null. */
export function findLeak(fn: () => unknown, options?: NoLeakOptions): Promise<LeakError | null>;

/** The matcher, for expect.extend(). */
export function toLeak(this: unknown, fn: () => unknown, options?: NoLeakOptions): Promise<{pass: boolean; message: () => string}>;
