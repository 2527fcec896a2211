// A search tree with random keys.
package main

type node struct {
	left, right *node
	key         uint64
	value       [4]int
}

var priceTree *node
var state uint64 = 88172645463325252

func setup() {}

func plant(number int) {
	state ^= state << 13
	state ^= state >> 7
	state ^= state << 17
	place := &priceTree
	for *place != nil {
		if state < (*place).key {
			place = &(*place).left
		} else {
			place = &(*place).right
		}
	}
	*place = &node{key: state}
}
