"use strict";
// What a compiler of TypeScript makes of `export namespace Metrics { const samples = [] … }`.
Object.defineProperty(exports, "__esModule", { value: true });
exports.Metrics = void 0;
const stage_1 = require("./stage.cjs");
var Metrics;
(function (Metrics) {
    const samples = [];
    class Gauge {
        constructor(at) {
            this.at = at;
            this.levels = [at, at + 1];
        }
    }
    function record(at) {
        samples.push(new Gauge(at));
    }
    Metrics.record = record;
})(Metrics || (exports.Metrics = Metrics = {}));
(0, stage_1.play)({ leak(number) { Metrics.record(number); } });
