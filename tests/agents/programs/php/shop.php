<?php
// The program that before.json.gz and after.json.gz were taken from, with PHP 8.2 and php-meminfo as of 2021 (commit 0ab7f5a):
//   env -i php -dvariables_order= -dextension=meminfo.so shop.php 20 80 before.json after.json && gzip -n9 before.json after.json
namespace Shop;

final class Session
{
    public array $cart = [];

    public function __construct(public string $user, private int $number)
    {
    }
}

final class Cache
{
    private static array $sessions = []; // never emptied
    protected static array $log = [];
    public static int $hits = 0;

    public static function put(Session $session): void
    {
        self::$sessions[$session->user] = $session;
        self::$log[] = ["user" => $session->user, "took" => 0.5];
        self::$hits++;
    }
}

final class Handler
{
    private ?Session $last = null;
    public ?\Closure $after = null;

    public function handle(int $number): void
    {
        $session = new Session("user-" . $number, $number);
        $session->cart[] = "article-" . ($number % 7);
        $session->cart[] = $number * 2;
        Cache::put($session);
        $this->last = $session;
        $this->after = fn() => $session;
    }
}

function dump(string $path): void
{
    meminfo_dump(fopen($path, "w"));
}

$handler = new Handler();
for ($next = 0; $next < (int)$argv[1]; $next++) {
    $handler->handle($next);
}
dump($argv[3]);
for (; $next < (int)$argv[2]; $next++) {
    $handler->handle($next);
}
dump($argv[4]);
