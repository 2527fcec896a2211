using System.Collections.Generic;

// Users in two dictionaries of one class.
sealed class User
{
    public readonly int Id;
    public readonly string Name;

    public User(int id)
    {
        Id = id;
        Name = "user-" + (100000 + id);
    }
}

static class Users
{
    static readonly Dictionary<int, User> byId = new Dictionary<int, User>();
    static readonly Dictionary<string, User> byName = new Dictionary<string, User>();

    static void Register(int number)
    {
        var user = new User(number);
        byId.Add(user.Id, user);
        byName.Add(user.Name, user);
    }

    static void Main() { Stage.Play(Register); }
}
