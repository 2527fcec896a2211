// Samples of a sensor in one typed array that is made larger whenever it is full, and never emptied.
import stage from './stage.cjs';

class Recorder {
  samples = new Float64Array(1024);
  used = 0;

  add(value) {
    if (this.used === this.samples.length) {
      const larger = new Float64Array(this.samples.length + 1024);
      larger.set(this.samples);
      this.samples = larger;
    }
    this.samples[this.used++] = value;
  }
}

const recorder = new Recorder();

function measure(number) {
  for (let i = 0; i < 64; i++) recorder.add(number + i / 64);
}

stage.play({ noise: ['pool', 'ring', 'requests'], leak: measure });
