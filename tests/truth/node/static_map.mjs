// Prices are remembered by product, in a private static Map of a class.
import stage from './stage.cjs';

class Price { constructor(product) { this.product = product; this.parts = [product, product + 1, product + 2]; } }

class Catalogue {
  static #map = new Map();
  static price(product) {
    let price = Catalogue.#map.get(product);
    if (!price) Catalogue.#map.set(product, price = new Price(product));
    return price;
  }
}

stage.play({ leak: number => { Catalogue.price('product ' + number); } });
