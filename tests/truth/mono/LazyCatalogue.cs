using System;
using System.Collections.Generic;

// A catalogue is made when it is first asked for; its groups, each a list by name, only grow.
sealed class Product
{
    public readonly int Number;
    public readonly decimal Price;
    public Product(int number)
    {
        Number = number;
        Price = number / 4m;
    }
}

sealed class Catalogue
{
    public static readonly Lazy<Catalogue> Instance = new Lazy<Catalogue>(() => new Catalogue());
    readonly SortedDictionary<string, List<Product>> groups = new SortedDictionary<string, List<Product>>();

    public void Add(Product product)
    {
        string name = "group " + product.Number % 50;
        if (!groups.TryGetValue(name, out List<Product> group)) groups[name] = group = new List<Product>();
        group.Add(product);
    }
}

static class Program
{
    static void Main() { Stage.Play(number => Catalogue.Instance.Value.Add(new Product(number))); }
}
