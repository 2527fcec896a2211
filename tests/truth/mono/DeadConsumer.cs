using System;
using System.Collections.Concurrent;
using System.Threading;

// A BlockingCollection whose consumer has died.
sealed class Job
{
    public readonly int Number;
    public readonly int[] Parts = new int[4];
    public Job(int number) { Number = number; }
}

static class Mailer
{
    static readonly BlockingCollection<Job> mailbox = new BlockingCollection<Job>();

    static void Consume()
    {
        try
        {
            for (int sent = 0; sent < 10; sent++) mailbox.Take();
            throw new InvalidOperationException("connection refused");
        }
        catch (InvalidOperationException) { }
    }

    static void Main()
    {
        var reader = new Thread(Consume);
        reader.Start();
        for (int i = 0; i < 10; i++) mailbox.Add(new Job(i));
        reader.Join();
        Stage.Play(number => mailbox.Add(new Job(number)));
    }
}
