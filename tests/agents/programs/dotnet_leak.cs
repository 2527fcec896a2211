/* Leaks sessions into a static dictionary while another thread allocates, drops and collects. See kit.py for what it obeys. */
using System;
using System.Collections.Generic;
using System.Threading;

namespace Shop
{
    class Session
    {
        public byte[] Payload = new byte[32];
        public string Name;
    }

    class Cart<T>
    {
        public T Item;
        public List<T> Items = new List<T>();
    }

    static class Registry
    {
        public static readonly Dictionary<int, Session> Sessions = new Dictionary<int, Session>();
        public static readonly List<Cart<Session>> Carts = new List<Cart<Session>>();
        public static int[] Large;
    }

    class Program
    {
        static volatile bool isOver;

        static void Load(object collects)
        {
            var held = new List<byte[]>();
            var random = new Random(1);
            for (int i = 0; !isOver; i++)
            {
                held.Add(new byte[random.Next(2000)]);
                if (held.Count > 500) held.Clear();
                if (i % 1000 == 0) Thread.Sleep(1);
                if ((bool)collects && i % 20000 == 0) GC.Collect();
            }
        }

        static void Leak(int first, int count)
        {
            for (int i = first; i < first + count; i++)
                Registry.Sessions[i] = new Session { Name = "session " + i };
        }

        static void Main(string[] words)
        {
            bool isIdle = words.Length > 0 && words[0] == "idle", collects = words.Length > 0 && words[0] == "collects";
            var load = new Thread(Load);
            if (!isIdle) load.Start(collects);
            Console.WriteLine("ready");
            int total = 0;
            for (string line; (line = Console.ReadLine()) != null && line != "quit";)
            {
                int count = int.Parse(line.Split(' ')[1]);
                if (line.StartsWith("leak "))
                {
                    Leak(total, count);
                    total += count;
                    Console.WriteLine("leaked " + total);
                }
                else if (line.StartsWith("carts "))
                {
                    for (int i = 0; i < count; i++)
                    {
                        var cart = new Cart<Session>();
                        cart.Items.Add(Registry.Sessions[i]);
                        Registry.Carts.Add(cart);
                    }
                    Console.WriteLine("carts " + Registry.Carts.Count);
                }
                else
                {
                    Registry.Large = new int[count];
                    Console.WriteLine("large " + count);
                }
            }
            isOver = true;
            if (!isIdle) load.Join();
        }
    }
}
