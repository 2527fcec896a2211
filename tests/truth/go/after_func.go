// A timer of an hour for each request, which is not stopped when the request is done.
package main

import "time"

type upload struct {
	number int
	parts  [12]int
}

var expired int

func setup() {}

func plant(number int) {
	u := &upload{number: number}
	time.AfterFunc(time.Hour, func() { expired += u.number }) // truth: expires
}
