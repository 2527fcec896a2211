// Requests wait for an answer or for time.After, whichever comes first: from Go 1.23 on a timer that nobody waits for any more is collected.
package main

//go:debug asynctimerchan=0

import "time"

var replies chan int

func setup() {
	replies = make(chan int, 1)
}

func plant(number int) {
	replies <- number
	select {
	case <-replies:
	case <-time.After(time.Hour):
		panic("nobody answered")
	}
}
