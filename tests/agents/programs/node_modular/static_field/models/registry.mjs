export class Registry {
  static items = [];

  static add(item) { Registry.items.push(item); }
}
