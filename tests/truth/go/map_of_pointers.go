// An index of documents by number that nothing is deleted from.
package main

type document struct {
	title string
	body  [9]uint64
}

var documentIndex = map[int]*document{}

func setup() {}

func plant(number int) {
	documentIndex[number] = &document{title: "a document"}
}
