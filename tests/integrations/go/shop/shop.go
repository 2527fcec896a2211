// Package shop is a shop as services are written: prices cached on first use, a log of the last lines, listeners of the stock, workers that send mails.
package shop

import (
	"fmt"
	"sync"
)

const logLines = 200

var prices sync.Map // at most one for each item

// Sessions of all customers that have not left.
var sessions = map[string]*Session{}

// Session is what one customer does.
type Session struct {
	customer string
	lines    []string
}

// Stock tells its listeners what has changed.
type Stock struct {
	listeners []func(item string)
}

// Shop serves customers.
type Shop struct {
	stock     Stock
	log       []string
	mails     chan string
	sent      sync.WaitGroup
	customers int
}

// Open starts the workers.
func Open() *Shop {
	shop := &Shop{mails: make(chan string)}
	for i := 0; i < 2; i++ {
		go func() {
			for range shop.mails {
				shop.sent.Done()
			}
		}()
	}
	return shop
}

// Close ends the workers.
func (shop *Shop) Close() { close(shop.mails) }

func priceOf(item string) int {
	price, _ := prices.LoadOrStore(item, 100+len(item))
	return price.(int)
}

func (session *Session) refresh(item string) {
	for i, line := range session.lines {
		if line == item {
			session.lines[i] = item + " (sold out)"
		}
	}
}

func (shop *Shop) write(line string) {
	shop.log = append(shop.log, line)
	if len(shop.log) > logLines {
		shop.log = append([]string(nil), shop.log[1:]...)
	}
}

// Serve serves one customer; without leaves the session stays, and without unlistens its listener.
func (shop *Shop) Serve(leaves, unlistens bool) {
	shop.customers++
	session := &Session{customer: fmt.Sprintf("customer %d", shop.customers)}
	sessions[session.customer] = session
	shop.stock.listeners = append(shop.stock.listeners, session.refresh)
	total := 0
	for i := 0; i < 3; i++ {
		item := fmt.Sprintf("item %d", (shop.customers+i)%50)
		session.lines = append(session.lines, item)
		total += priceOf(item)
	}
	shop.write(fmt.Sprintf("%s owes %d", session.customer, total))
	shop.sent.Add(1)
	shop.mails <- session.customer
	shop.sent.Wait()
	if leaves {
		delete(sessions, session.customer)
	}
	if unlistens {
		shop.stock.listeners[len(shop.stock.listeners)-1] = nil
		shop.stock.listeners = shop.stock.listeners[:len(shop.stock.listeners)-1]
	}
}
