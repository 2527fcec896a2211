// What the programs of this folder have besides their own: the lines of tests/agents/kit.py, and the load of a small server: a cache
// that evicts, a ring of answers that is full, goroutines that work on requests, a ticker. A program defines setup, called once, and
// plant, called for each object that "leak N" asks for, with a request around each.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

type loadPage struct {
	key          int
	body         []byte
	newer, older *loadPage
}

type loadCache struct {
	pages          map[int]*loadPage
	newest, oldest *loadPage
}

type loadServer struct {
	cache    *loadCache
	answers  [512][]byte
	served   int
	requests chan int
	done     chan []byte
	ticks    atomic.Int64
	timers   [64]*time.Timer
}

var load *loadServer

func (c *loadCache) unlink(p *loadPage) {
	if p.newer != nil {
		p.newer.older = p.older
	} else {
		c.newest = p.older
	}
	if p.older != nil {
		p.older.newer = p.newer
	} else {
		c.oldest = p.newer
	}
	p.newer, p.older = nil, nil
}

func (c *loadCache) push(p *loadPage) {
	p.older = c.newest
	if c.newest != nil {
		c.newest.newer = p
	} else {
		c.oldest = p
	}
	c.newest = p
}

func (c *loadCache) get(key int) *loadPage {
	if p := c.pages[key]; p != nil {
		c.unlink(p)
		c.push(p)
		return p
	}
	if len(c.pages) == 256 {
		old := c.oldest
		c.unlink(old)
		delete(c.pages, old.key)
	}
	p := &loadPage{key: key, body: make([]byte, 1024)}
	c.pages[key] = p
	c.push(p)
	return p
}

func (s *loadServer) work() {
	for key := range s.requests {
		scratch := make([]byte, 512+key)
		scratch[0] = byte(key)
		s.done <- scratch[:256:256]
	}
}

func (s *loadServer) tick() {
	for range time.Tick(2 * time.Millisecond) {
		n := s.ticks.Add(1)
		s.timers[n%64].Reset(time.Hour)
	}
}

func (s *loadServer) request() {
	page := s.cache.get(rand.Intn(400))
	s.requests <- page.key
	scratch := <-s.done
	answer := make([]byte, 256)
	copy(answer, scratch)
	s.answers[s.served%len(s.answers)] = answer
	s.served++
}

func startLoad() {
	load = &loadServer{cache: &loadCache{pages: map[int]*loadPage{}}, requests: make(chan int), done: make(chan []byte)}
	for i := range load.timers {
		load.timers[i] = time.AfterFunc(time.Hour, func() {})
	}
	for i := 0; i < 4; i++ {
		go load.work()
	}
	go load.tick()
	for i := 0; i < 3000; i++ {
		load.request()
	}
}

func main() {
	setup()
	startLoad()
	planted := 0
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "quit" {
			return
		}
		var count int
		if !strings.HasPrefix(lines.Text(), "leak ") {
			continue
		}
		fmt.Sscanf(lines.Text(), "leak %d", &count)
		for ; count > 0; count-- {
			plant(planted)
			planted++
			load.request()
		}
		fmt.Println("leaked", planted)
	}
}
