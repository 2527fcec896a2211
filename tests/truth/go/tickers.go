// A ticker and a goroutine for each subscriber, which nobody stops.
package main

import "time"

type feed struct {
	topic string
	ticks int
	last  [10]int
}

func setup() {}

func (f *feed) poll(ticker *time.Ticker) {
	for range ticker.C {
		f.ticks++
	}
}

func plant(number int) {
	f := &feed{topic: "news"}
	f.last[0] = number
	go f.poll(time.NewTicker(time.Hour))
}
