// Bundle the DevTools heap snapshot modules into ./bundle.mjs: run by setup.sh
// inside the scratch folder, where esbuild and the package are installed.
//
//   node make-bundle.mjs MODULES     folder of HeapSnapshot.ts
//
// The package is written for a browser and for a build step of its own. Two
// things stand in for that step: the generated list of locales (only progress
// texts use it) is replaced by an empty one, and the TypeScript is stripped.
import * as esbuild from 'esbuild';

const modules = process.argv[2];

const locales = {
  name: 'locales',
  setup(build) {
    build.onResolve({filter: /\/locales\.js$/}, args => ({path: args.path, namespace: 'locales'}));
    build.onLoad({filter: /.*/, namespace: 'locales'}, () => ({
      contents: ['LOCALES', 'BUNDLED_LOCALES'].map(name => `export const ${name} = ['en-US'];`).join('\n') +
          ['DEFAULT_LOCALE', 'REMOTE_FETCH_PATTERN', 'LOCAL_FETCH_PATTERN']
              .map(name => `export const ${name} = 'en-US';`).join('\n'),
    }));
  },
};

await esbuild.build({
  stdin: {
    contents: `export {SecondaryInitManager} from './${modules}/HeapSnapshot.ts';
               export {HeapSnapshotLoader} from './${modules}/HeapSnapshotLoader.ts';`,
    resolveDir: process.cwd(),
  },
  bundle: true,
  platform: 'node',
  format: 'esm',
  outfile: 'bundle.mjs',
  logLevel: 'error',
  plugins: [locales],
});
