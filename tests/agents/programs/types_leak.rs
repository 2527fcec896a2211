// A program in Rust, for types by debug information. Obeys the lines of tests/agents/kit.py.
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::BufRead;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

#[derive(Clone)]
pub struct Order { pub number: u64, pub amount: [u64; 11] }
pub struct Node { pub other: Mutex<Option<Arc<Node>>>, pub data: [u64; 12] }
pub struct Account { pub balance: [f64; 20] }
pub struct Visit { pub at: [u64; 16] }
pub trait Job { fn run(&self) -> u64; }
pub struct Mail { pub text: [u8; 200] }
impl Job for Mail { fn run(&self) -> u64 { self.text[0] as u64 } }

pub struct Session { pub name: String, pub orders: Vec<Order>, pub account: Box<Account>, pub visits: Rc<Visit> }

#[derive(Default)]
pub struct Labels { inner: Mutex<Vec<String>> }

async fn pause(mark: &mut [u64; 6]) { mark[0] += 1; std::future::pending::<()>().await; }

/* What lives across its waits is in the block of the future. */
async fn watch(number: u64) {
    let mut steps: Vec<Order> = vec![Order { number, amount: [1; 11] }];
    let mut mark = [number; 6];
    loop { pause(&mut mark).await; steps.push(Order { number: mark[0], amount: [2; 11] }); }
}

#[derive(Default)]
pub struct Shop {
    frames: Vec<Box<[u8; 120]>>,
    waiting: Vec<std::pin::Pin<Box<dyn std::future::Future<Output = ()>>>>,
    listeners: Vec<Box<dyn Fn(u64) -> u64>>,
    labels: Labels,
    sessions: HashMap<u32, Session>,
    by_name: BTreeMap<String, u64>,
    seen: HashSet<u64>,
    queue: VecDeque<Order>,
    jobs: Vec<Box<dyn Job>>,
    nodes: Vec<Arc<Node>>,
    planted: u64,
}

/* A waker that wakes nobody. */
fn never() -> std::task::Waker {
    fn same(_: *const ()) -> std::task::RawWaker { std::task::RawWaker::new(std::ptr::null(), &TABLE) }
    fn nothing(_: *const ()) {}
    static TABLE: std::task::RawWakerVTable = std::task::RawWakerVTable::new(same, nothing, nothing, nothing);
    unsafe { std::task::Waker::from_raw(same(std::ptr::null())) }
}

#[inline(never)]
fn ring(data: u64) -> Arc<Node> {
    let a = Arc::new(Node { other: Mutex::new(None), data: [data; 12] });
    let b = Arc::new(Node { other: Mutex::new(Some(a.clone())), data: [data; 12] });
    *a.other.lock().unwrap() = Some(b);
    a
}

#[inline(never)]
fn session(number: u64) -> Session {
    let mut orders = Vec::new();
    for n in 0..5 { orders.push(Order { number: n, amount: [number; 11] }); }
    Session { name: format!("session number {number}, a name that takes some room"), orders, account: Box::new(Account { balance: [number as f64; 20] }),
              visits: Rc::new(Visit { at: [number; 16] }) }
}

impl Shop {
    #[inline(never)]
    fn watch(&mut self, number: u64) {
        let mut future: std::pin::Pin<Box<dyn std::future::Future<Output = ()>>> = Box::pin(watch(number));
        assert!(future.as_mut().poll(&mut std::task::Context::from_waker(&never())).is_pending());
        self.waiting.push(future);
        self.frames.push(Box::new([number as u8; 120]));
        let page = [number; 24];
        self.listeners.push(Box::new(move |n| page[0] + n));
    }

    #[inline(never)]
    fn plant(&mut self) {
        let number = self.planted;
        self.sessions.insert(number as u32, session(number));
        self.by_name.insert(format!("name {number} of a session"), number);
        self.seen.insert(number);
        self.labels.inner.lock().unwrap().push(format!("label {number} of a session"));
        self.queue.push_back(Order { number, amount: [0; 11] });
        self.jobs.push(Box::new(Mail { text: [1; 200] }));
        self.nodes.push(ring(number));
        self.watch(number);
        self.planted += 1;
    }
}

fn main() {
    let mut shop = Shop::default();
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        if line == "quit" { break; }
        if let Some(count) = line.strip_prefix("leak ") {
            for _ in 0..count.parse::<u64>().unwrap() { shop.plant(); }
            println!("leaked {}", shop.planted);
        }
    }
    let heard: u64 = shop.listeners.iter().map(|l| l(1)).sum();
    eprintln!("{heard} {} {}", shop.waiting.len(), shop.frames.iter().map(|f| f[3] as u64).sum::<u64>());
    let sum: u64 = shop.jobs.iter().map(|j| j.run()).sum::<u64>() + shop.queue.iter().map(|o| o.number).sum::<u64>();
    eprintln!("{sum} {}", shop.sessions.len() + shop.by_name.len() + shop.seen.len() + shop.nodes.len());
}
