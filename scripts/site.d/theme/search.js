// Search over all pages, without a server: the index is a script beside this one, loaded when somebody first types. A section is found when it has
// all words, each as the beginning of one; titles count more than text.
(function () {
  'use strict';
  const script = document.currentScript;
  const root = new URL(script.dataset.root + '/', document.baseURI);
  const MOST = 20;
  let rows = null;

  function load(then) {
    if (rows) return then();
    const tag = document.createElement('script');
    tag.src = new URL('search_index.js', root).href;
    tag.onload = function () {
      rows = window.hsdiffIndex.map(([address, page, title, text]) => ({ address, page, title, text, low: (page + ' ' + title).toLowerCase(), lowText: text.toLowerCase() }));
      then();
    };
    document.head.append(tag);
  }

  function places(text, word) {
    const found = [];
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]) || !/[\p{L}\p{N}]/u.test(word[0])) found.push(at);
    }
    return found;
  }

  function score(row, words) {
    let sum = 0;
    for (const word of words) {
      const inTitle = places(row.low, word).length, inText = places(row.lowText, word).length;
      if (inTitle + inText === 0) return 0;
      sum += 20 * inTitle + Math.min(inText, 5);
    }
    return sum;
  }

  function excerpt(row, words) {
    const first = Math.min(...words.map((word) => places(row.lowText, word)[0] ?? Infinity));
    const from = first === Infinity ? 0 : Math.max(0, first - 50);
    const line = document.createElement('p');
    let rest = row.text.slice(from, from + 160);
    if (from > 0) line.append('… ');
    while (rest) {
      const low = rest.toLowerCase();
      const next = words.map((word) => [places(low, word)[0] ?? Infinity, word]).sort((a, b) => a[0] - b[0])[0];
      if (next[0] === Infinity) break;
      const mark = document.createElement('mark');
      mark.textContent = rest.slice(next[0], next[0] + next[1].length);
      line.append(rest.slice(0, next[0]), mark);
      rest = rest.slice(next[0] + next[1].length);
    }
    line.append(rest, ' …');
    return line;
  }

  function show(query, box) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    box.textContent = '';
    if (words.length === 0) return;
    const found = rows.map((row) => [score(row, words), row]).filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]);
    const list = document.createElement('ol');
    for (const [, row] of found.slice(0, MOST)) {
      const item = document.createElement('li'), link = document.createElement('a');
      link.href = new URL(row.address, root).href;
      link.textContent = row.page === row.title ? row.page : row.page + ': ' + row.title;
      item.append(link, excerpt(row, words));
      list.append(item);
    }
    const said = document.createElement('p');
    said.textContent = found.length === 0 ? 'nothing has all these words' : found.length > MOST ? 'the best ' + MOST + ' of ' + found.length : '';
    box.append(said, list);
  }

  const input = document.getElementById('search'), box = document.getElementById('results');
  input.addEventListener('input', () => load(() => show(input.value, box)));
  // page.html?q=words: a search that can be kept as an address.
  const asked = new URLSearchParams(location.search).get('q');
  if (asked) {
    input.value = asked;
    load(() => show(asked, box));
  }
}());
