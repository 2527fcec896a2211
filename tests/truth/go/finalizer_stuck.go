// A finalizer waits for a lock that is never given back: what the collector has found dead since waits in its queue.
package main

import (
	"runtime"
	"sync"
)

type upload struct {
	number int
	chunk  [120]byte
}

var table sync.Mutex

func setup() { table.Lock() }

func newUpload(number int) *upload {
	u := &upload{number: number}
	runtime.SetFinalizer(u, func(u *upload) {
		table.Lock()
		u.number = 0
		table.Unlock()
	})
	return u
}

func plant(number int) {
	newUpload(number).chunk[0] = byte(number)
	if number%1000 == 999 {
		runtime.GC()
		runtime.GC()
	}
}
