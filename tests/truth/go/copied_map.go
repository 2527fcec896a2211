// Readers load a map without a lock: each change puts a copy of it, with one more, into an atomic pointer.
package main

import "sync/atomic"

type route struct {
	number int
	hops   []int32
}

type routes map[int]*route

var table atomic.Pointer[routes]
var fresh []*route

func setup() { table.Store(&routes{}) }

func plant(number int) {
	fresh = append(fresh, &route{number: number, hops: make([]int32, 10)})
	if len(fresh) < 100 {
		return
	}
	next := make(routes)
	for number, one := range *table.Load() {
		next[number] = one
	}
	for _, one := range fresh {
		next[one.number] = one
	}
	fresh = fresh[:0]
	table.Store(&next)
}
