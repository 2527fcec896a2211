// A goroutine for each request waits for an answer that never comes.
package main

type question struct {
	number int
	text   [96]byte
}

var answered int

func setup() {}

func waitForAnswer(q *question, answers chan int) {
	answered += <-answers + q.number
}

func plant(number int) {
	go waitForAnswer(&question{number: number}, make(chan int))
}
