// Leaks on request under allocation load in three goroutines: kit.py says which lines it obeys. "large N" plants N blobs of 100,000
// bytes, "wait N" starts N goroutines that wait for ever, each with an object of its own.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Thirteen words: no other type here has this size and these pointers.
type session struct {
	number int
	name   *string
	spare  [4]int
	data   []int
	tag    *tag
	more   [3]int
}

type tag struct {
	text  *string
	value [8]int
}

type waiter struct {
	a, b  int
	text  *string
	spare [18]int
}

var cache []*session
var blobs [][]byte
var inside []*int
var never = make(chan bool)

func load(seed uint32) {
	queue := make([][]byte, 0, 3000)
	for {
		for i := 0; i < 200; i++ {
			seed = seed*1664525 + 1013904223
			queue = append(queue, make([]byte, 10+seed%400))
			if len(queue) == cap(queue) {
				queue = queue[:0]
			}
		}
		time.Sleep(time.Millisecond)
	}
}

//go:noinline
func wait(mine *waiter) {
	<-never
	runtime.KeepAlive(mine)
}

// How many goroutines stand at that channel by now.
//
//go:noinline
func waiting() (count int) {
	text := make([]byte, 1<<17)
	for _, one := range strings.Split(string(text[:runtime.Stack(text, true)]), "\n\n") {
		if strings.Contains(one, "[chan receive") && strings.Contains(one, "main.wait(") {
			count++
		}
	}
	return count
}

func leak(count int) {
	for i := 0; i < count; i++ {
		name, text := fmt.Sprint("session ", len(cache)), fmt.Sprint("tag ", i)
		one := &session{number: i, name: &name, data: make([]int, 5), tag: &tag{text: &text}}
		cache = append(cache, one)
	}
}

func main() {
	for i := uint32(1); i <= 3; i++ {
		go load(i)
	}
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words, number := strings.Fields(lines.Text()), 0
		if len(words) > 1 {
			fmt.Sscan(words[1], &number)
		}
		switch words[0] {
		case "leak":
			leak(number)
			fmt.Println("leaked", len(cache))
		case "large":
			for i := 0; i < number; i++ {
				blobs = append(blobs, make([]byte, 100000))
			}
			fmt.Println("leaked", len(blobs))
		case "wait":
			for i := 0; i < number; i++ {
				text := "waits"
				go wait(&waiter{text: &text})
			}
			for waiting() < number {
				time.Sleep(time.Millisecond)
			}
			fmt.Println("waiting", number)
		case "quit":
			return
		}
	}
}
