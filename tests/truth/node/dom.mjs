// Elements with parents and children. Rows that are removed from the table stay known by their id, and with them what they had.
import stage from './stage.cjs';

class Element {
  constructor(name, parent = null) {
    this.name = name;
    this.parent = parent;
    this.children = [];
    parent?.children.push(this);
  }

  remove() {
    this.parent.children.splice(this.parent.children.indexOf(this), 1);
    this.parent = null;
  }
}

class Page {
  root = new Element('table');
  elementsById = {};

  show(number) {
    const row = new Element('row', this.root);
    new Element('cell', row);
    new Element('cell', row);
    this.elementsById['row-' + number] = row;
    row.remove();
  }
}

const page = new Page();

stage.play({ noise: ['ring', 'guests', 'requests'], leak(number) { page.show(number); } });
