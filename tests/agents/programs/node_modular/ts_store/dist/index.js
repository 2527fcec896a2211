"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
const store_1 = require("./store");
const drive = require("../../drive.cjs");
drive((i) => { store_1.store.create(i).lines.push('line ' + i); });
