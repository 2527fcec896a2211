// A channel with much room, whose consumer has died.
package main

type event struct {
	kind   string
	fields [6]int
}

var eventQueue = make(chan *event, 65536)

func setup() {}

func plant(number int) {
	eventQueue <- &event{kind: "visit", fields: [6]int{number}}
}
