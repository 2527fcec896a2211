// Devices in a sync.Map, by their name.
package main

import (
	"fmt"
	"sync"
)

type device struct {
	name  string
	state [5]int
}

var deviceTable sync.Map

func setup() {}

func plant(number int) {
	name := fmt.Sprintf("device-%06d", number)
	deviceTable.Store(name, &device{name: name})
}
