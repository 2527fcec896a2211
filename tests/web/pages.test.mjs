/*
 * What a page says, how it is used, what is seen first, and what is left of it without script: in one process, because a start of Firefox takes four
 * seconds of the processor, as much as four pages in it. Each of them also runs by itself.
 */
import "./contents.test.mjs";
import "./hands.test.mjs";
import "./screens.test.mjs";
import "./static.test.mjs";
