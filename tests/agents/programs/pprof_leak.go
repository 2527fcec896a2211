// Leaks on request under allocation load, and writes heap profiles: kit.py says which lines it obeys, and "heap FILE" writes one,
// as text where FILE ends in .heap. Every allocation is sampled, so that counts are exact. "drop" lets go of all that was planted.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"
)

// 112 bytes, which is a size that Go has.
type session struct {
	number int
	spare  [13]int
}

type cart struct {
	items [512]byte
}

var sessions []*session
var carts = map[int]*cart{}

func load() {
	queue := make([][]byte, 0, 1000)
	for i := 0; ; i++ {
		queue = append(queue, make([]byte, 16+i%300))
		if len(queue) == cap(queue) {
			queue = queue[:0]
			time.Sleep(time.Millisecond)
		}
	}
}

//go:noinline
func newSession(number int) *session {
	return &session{number: number}
}

// Inlined into its caller.
func newCart() *cart {
	return &cart{}
}

//go:noinline
func leak(count int) {
	for i := 0; i < count; i++ {
		number := len(sessions)
		sessions = append(sessions, newSession(number))
		carts[number] = newCart()
	}
}

func write(path string) error {
	runtime.GC()
	runtime.GC()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	debug := 0
	if strings.HasSuffix(path, ".heap") {
		debug = 1
	}
	return pprof.Lookup("heap").WriteTo(file, debug)
}

func main() {
	runtime.MemProfileRate = 1
	sessions = make([]*session, 0, 1<<20)
	go load()
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch words[0] {
		case "leak":
			count := 0
			fmt.Sscan(words[1], &count)
			leak(count)
			fmt.Println("leaked", len(sessions))
		case "drop":
			sessions = sessions[:0]
			clear := sessions[:cap(sessions)]
			for i := range clear {
				clear[i] = nil
			}
			carts = map[int]*cart{}
			fmt.Println("dropped")
		case "heap":
			if err := write(words[1]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Println("written")
		case "quit":
			return
		}
	}
}
