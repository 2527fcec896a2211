/*
 * What the tests of pages need: packages, captures, and the pages that the command makes of them.
 */
import { makeCaptures } from "./support/captures.mjs";
import { testPackages } from "./support/packages.mjs";
import { makePages } from "./support/pages.mjs";

testPackages();
await makeCaptures();
makePages();
