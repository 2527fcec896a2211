// A router as in net/http: a handler for each tenant is registered, and none is removed.
package main

import (
	"strconv"
	"sync"
)

type tenant struct {
	name  string
	quota [12]int
}

type mux struct {
	lock   sync.Mutex
	routes map[string]func(path string) int
	served int
}

var router = &mux{}

func (m *mux) handle(path string, handler func(path string) int) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.routes[path] = handler
}

func setup() {
	router.routes = make(map[string]func(path string) int)
}

func plant(number int) {
	owner := &tenant{name: "tenant " + strconv.Itoa(number)}
	router.handle("/t/"+strconv.Itoa(number), func(path string) int {
		owner.quota[0]++
		return owner.quota[0] + len(path)
	})
}
