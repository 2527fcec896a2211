// setupFilesAfterEnv: ['hsdiff-noleak/jest'], and expect(fn).not.toLeak() is there.
'use strict';

expect.extend({toLeak: require('./index.js').toLeak});
