using System.Collections.Generic;

// The newest message is put in front of a linked list that has no end.
sealed class Message
{
    public readonly int Number;
    public readonly byte[] Body = new byte[48];
    public Message(int number) { Number = number; }
}

sealed class Chat
{
    readonly LinkedList<Message> messages = new LinkedList<Message>();
    public void Say(int number) { messages.AddFirst(new Message(number)); }
}

static class Program
{
    static readonly Chat chat = new Chat();
    static void Main() { Stage.Play(chat.Say); }
}
