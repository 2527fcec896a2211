// setupFiles: ['hsdiff-noleak/vitest'], and expect(fn).not.toLeak() is there.
import {expect} from 'vitest';

import noleak from './index.js';

expect.extend({toLeak: noleak.toLeak});
