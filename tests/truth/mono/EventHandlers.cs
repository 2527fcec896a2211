using System;

// Tickets listen to the event of a feed and never stop.
sealed class Feed
{
    public event Action<double> PriceChanged;
    public void Tell(double price) { PriceChanged?.Invoke(price); }
}

sealed class Ticket
{
    public readonly int Number;
    double price;

    public Ticket(Feed feed, int number)
    {
        Number = number;
        feed.PriceChanged += OnPriceChanged;
    }

    void OnPriceChanged(double now) { price = now; }
}

static class App
{
    static readonly Feed feed = new Feed();
    static void Main() { Stage.Play(number => new Ticket(feed, number)); }
}
