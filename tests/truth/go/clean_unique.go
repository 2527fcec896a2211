// Labels that are made once each, by unique, and let go: the library's table holds them weakly, until the collector has come by.
package main

import (
	"fmt"
	"unique"
)

type label = unique.Handle[string]

var last [64]label
var wanted = make(chan int)
var made = make(chan label)

func makeLabels() {
	for number := range wanted {
		made <- unique.Make(fmt.Sprintf("label %d of many", number))
	}
}

func setup() {
	go makeLabels()
	for i := 0; i < 3000; i++ {
		plant(i)
	}
}

func plant(number int) {
	wanted <- number
	last[number%len(last)] = <-made
}
