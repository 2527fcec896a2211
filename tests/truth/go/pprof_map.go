// A map that grows, looked at by profiles of the heap.
package main

type order struct {
	number int
	items  [15]int
}

var openOrders = map[int]*order{}

func setup() {}

func newOrder(number int) *order {
	return &order{number: number}
}

func plant(number int) {
	openOrders[number] = newOrder(number)
}
