import type {NoLeakOptions} from './index.js';

declare global {
  namespace jest {
    interface Matchers<R> {
      /** await expect(fn).not.toLeak() */
      toLeak(options?: NoLeakOptions): Promise<void>;
    }
  }
}
