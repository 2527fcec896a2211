/*
 * Whether a text can be read without scrolling: it has a box, the box is wholly on the screen, and nothing lies on it.
 */

/* In the page: the texts of `wanted` that are not in sight below `selector`. */
function outOfSight([selector, wanted]) {
  const isSeen = (rectangle, node) => {
    const { left, right, top, bottom, width, height } = rectangle;
    if (width < 1 || height < 1 || left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight) return false;
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return hit !== null && (hit.contains(node) || node.parentElement.contains(hit));
  };
  const seen = [];
  for (const host of document.querySelectorAll(selector)) {
    const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()];
      if (boxes.length > 0 && boxes.every((each) => isSeen(each, node))) seen.push(node.data);
    }
  }
  const all = seen.join("\n");
  return wanted.filter((text) => !all.includes(text));
}

/** Fails unless each of the texts is in sight somewhere below `selector`. */
export async function assertInSight(page, selector, texts) {
  const missing = await page.evaluate(outOfSight, [selector, texts]);
  if (missing.length > 0) throw new Error(`not in sight in ${selector}: ${missing.join(", ")}`);
}
