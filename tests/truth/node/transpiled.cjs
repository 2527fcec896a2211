// What a compiler of TypeScript makes of `export class Registry { private static instance … }`.
"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Registry = void 0;
const stage_1 = require("./stage.cjs");
class Plugin {
    constructor(id) {
        this.id = id;
        this.hooks = [id];
    }
}
class Registry {
    constructor() {
        this.plugins = new Map();
    }
    static getInstance() {
        if (!Registry.instance) {
            Registry.instance = new Registry();
        }
        return Registry.instance;
    }
    add(plugin) {
        this.plugins.set(plugin.id, plugin);
    }
}
exports.Registry = Registry;
(0, stage_1.play)({ leak(number) { Registry.getInstance().add(new Plugin(number)); } });
