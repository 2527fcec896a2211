using System.Collections.Concurrent;

// Orders stay in a ConcurrentDictionary.
sealed class Order
{
    public readonly int Number;
    public readonly double[] Prices = new double[3];
    public Order(int number) { Number = number; }
}

static class Shop
{
    static readonly ConcurrentDictionary<int, Order> orders = new ConcurrentDictionary<int, Order>();
    static void Main() { Stage.Play(number => orders[number] = new Order(number)); }
}
