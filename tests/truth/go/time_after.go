// Requests wait for an answer or for time.After, whichever comes first. Built without a module, and so as before Go 1.23, a timer stays until
// it fires, an hour later, though nobody waits for it any more.
package main

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
