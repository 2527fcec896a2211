import 'vitest';
import type {NoLeakOptions} from './index.js';

declare module 'vitest' {
  interface Matchers<T = any> {
    /** await expect(fn).not.toLeak() */
    toLeak(options?: NoLeakOptions): Promise<void>;
  }
}
