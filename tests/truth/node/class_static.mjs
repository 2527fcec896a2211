// A class that keeps all its instances in a static field.
import stage from './stage.cjs';

class Widget {
  static instances = [];

  constructor(number) {
    this.number = number;
    this.label = { text: 'w' + number };
    Widget.instances.push(this);
  }
}

stage.play({ noise: ['cache', 'guests', 'timers'], leak(number) { new Widget(number); } });
