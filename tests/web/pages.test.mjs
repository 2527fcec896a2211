/*
 * What a page says, how it is used, what is seen first, what is left of it without script, that it keeps to itself, and the viewer: in one process, because
 * a start of Firefox takes five seconds of the processor, as much as five pages in it. Each of them also runs by itself.
 */
import "./contents.test.mjs";
import "./hands.test.mjs";
import "./safety.test.mjs";
import "./screens.test.mjs";
import "./static.test.mjs";
import "./viewer.test.mjs";
