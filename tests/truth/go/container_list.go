// Sessions in a list.List, by their last use; the eviction was forgotten.
package main

import "container/list"

type session struct {
	user string
	data [6]int
}

var sessionOrder = list.New()

func setup() {}

func plant(number int) {
	sessionOrder.PushBack(&session{user: "somebody", data: [6]int{number}})
}
