// Goroutines that wait for ever, looked at by profiles of the heap: the runtime allocates most of it.
package main

type visitor struct {
	number int
	name   [120]byte
}

var gate = make(chan *visitor)

func setup() {}

func waitAtGate(v *visitor) {
	gate <- v
}

func plant(number int) {
	go waitAtGate(&visitor{number: number})
}
