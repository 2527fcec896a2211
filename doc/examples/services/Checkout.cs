// A shop's service that leaks: each cart subscribes to the news of the stock and never unsubscribes. The cache of pages beside it is bounded.
//
//   mcs Checkout.cs && mono Checkout.exe          GET /cart?user=NUMBER
using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;

class Line
{
    public int Article, Count;
}

class Cart
{
    public int User;
    public List<Line> Lines = new List<Line>();

    public void OnSoldOut(int article) { Lines.RemoveAll(line => line.Article == article); }
}

class Stock
{
    public event Action<int> SoldOut;

    public void Tell(int article) { SoldOut?.Invoke(article); }
}

static class Checkout
{
    static readonly Stock stock = new Stock();
    static readonly Dictionary<int, string> pages = new Dictionary<int, string>();

    static int Serve(int user)
    {
        var cart = new Cart { User = user };
        for (int article = 0; article < 4; article++) cart.Lines.Add(new Line { Article = article, Count = article + 1 });
        stock.SoldOut += cart.OnSoldOut;
        pages[user % 100] = "<h1>/cart/" + user + "</h1>";
        return cart.Lines.Count;
    }

    static int UserOf(string request)
    {
        int at = request.IndexOf("user=") + "user=".Length;
        return int.Parse(request.Substring(at, request.IndexOf(' ', at) - at));
    }

    static void Main()
    {
        var listener = new TcpListener(IPAddress.Loopback, 8080);
        listener.Start();
        for (;;)
        {
            using (var client = listener.AcceptTcpClient())
            {
                var stream = client.GetStream();
                string body = Serve(UserOf(new StreamReader(stream).ReadLine())) + "\n";
                byte[] answer = Encoding.ASCII.GetBytes("HTTP/1.1 200 OK\r\nContent-Length: " + body.Length + "\r\nConnection: close\r\n\r\n" + body);
                stream.Write(answer, 0, answer.Length);
            }
        }
    }
}
