/* shop.exe SECRETS: what a program reads, in every place that data can take; of Mono and of .NET. See test_canaries.py. */
using System;
using System.Collections.Generic;
using System.Threading;

class Customer
{
    public string Password;
    public char[] Letters;
    public byte[] Bytes;
    public object[] Parts;
}

static class Shop
{
    static Dictionary<string, object> byName = new Dictionary<string, object>();
    static SortedList<string, string> sorted = new SortedList<string, string>();
    static HashSet<string> names = new HashSet<string>();
    static List<object> held = new List<object>();
    static string last;

    static void Hold(string text)
    {
        var one = new Customer { Password = text, Letters = text.ToCharArray(), Bytes = new byte[text.Length * 2], Parts = new object[] { text, text + text } };
        for (int i = 0; i < text.Length; i++) one.Bytes[i] = (byte)text[i];
        byName[text] = one;
        sorted[text] = text;
        names.Add(text);
        held.Add(String.Intern(text + text));
        held.Add(new InvalidOperationException(text));
        held.Add(new System.Text.StringBuilder(text));
        held.Add((Func<string>)(() => text));
        held.Add(Tuple.Create(text, text));
        held.Add(new KeyValuePair<string, string>(text, text));
        last = text;
    }

    static void Load()
    {
        var scratch = new List<byte[]>();
        for (int i = 0; ; i++)
        {
            scratch.Add(new byte[1 + i % 2000]);
            if (scratch.Count > 500) scratch.Clear();
            if (i % 1000 == 0) Thread.Sleep(1);
        }
    }

    static void Main(string[] arguments)
    {
        new Thread(Load) { IsBackground = true }.Start();
        foreach (string text in arguments[0].Split(',')) Hold(text);
        Console.WriteLine("ready");
        string line;
        while ((line = Console.ReadLine()) != null && line != "quit") {}
        GC.KeepAlive(last);
    }
}
