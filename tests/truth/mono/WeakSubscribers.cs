using System;
using System.Collections.Generic;

// Subscribers are known weakly, and go; the weak references themselves stay in the list.
sealed class Subscriber
{
    public readonly int Number;
    public Subscriber(int number) { Number = number; }
}

static class Hub
{
    static readonly List<WeakReference> subscribers = new List<WeakReference>();
    static void Main() { Stage.Play(number => subscribers.Add(new WeakReference(new Subscriber(number)))); }
}
