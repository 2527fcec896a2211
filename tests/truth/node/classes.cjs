// A class is made for each tenant, and remembered.
'use strict';
const { play } = require('./stage.cjs');

class Model { constructor(row) { this.row = row; } }

const models = {};

function modelFor(tenant) {
  models[tenant] = class TenantModel extends Model {
    static table = 'orders_' + tenant;
    save() { return TenantModel.table; }
  };
}

play({ leak(number) { modelFor('tenant' + number); } });
