// A cache that has no limit, beside one that has.
import stage from '../stage.cjs';
import { thumbnail } from './thumbnails.mjs';

stage.play({ noise: ['cache', 'ring', 'requests', 'guests'], leak(number) { thumbnail(`/photo/${number}.jpg`); } });
