// A skip list of scores, filled in no order: every new node hangs between old ones.
import stage from './stage.cjs';

class Score { constructor(player, points) { this.player = player; this.points = points; } }

class SkipNode {
  constructor(score, height) { this.score = score; this.next = new Array(height).fill(null); }
}

class Board {
  first = new SkipNode(null, 12);
  seed = 7;

  dice() {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.seed;
  }

  add(player) {
    const score = new Score(player, this.dice());
    let height = 1;
    while (height < 12 && this.dice() & 0x10000) height++;
    const node = new SkipNode(score, height);
    let at = this.first;
    for (let level = 11; level >= 0; level--) {
      while (at.next[level] && at.next[level].score.points < score.points) at = at.next[level];
      if (level < height) {
        node.next[level] = at.next[level];
        at.next[level] = node;
      }
    }
  }
}

const board = new Board();

stage.play({ noise: ['cache', 'ring', 'requests'], leak(number) { board.add(number); } });
