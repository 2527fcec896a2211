// What the references of an index lead to goes; the references and their keys stay.
import stage from './stage.cjs';

class Image { constructor(number) { this.pixels = [number, number]; } }

const index = new Map();

stage.play({ leak: number => { index.set('image ' + number, new WeakRef(new Image(number))); } });
