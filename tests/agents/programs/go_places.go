// Leaks in the places that Go has beside plain variables. kit.py says which lines it obeys; "leak N" plants N jobs in each of these:
//
//	registry    a map in a value without a name, which a variable points to     main.registry.jobs
//	kept        a sync.Map                                                       main.kept
//	handlers    closures that capture a job                                      main.handlers
//	(waiting)   goroutines that never end, started by one line                   goroutines started by main.(*server).serve
//	(timers)    time.AfterFunc, an hour from now                                 timer main.expire
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

type listed struct {
	number int
	spare  [3]int
}
type stored struct {
	number int
	spare  [4]int
}
type captured struct {
	number int
	name   *string
	spare  [5]int
}
type awaited struct {
	number int
	spare  [6]int
}

type shelf struct {
	mutex sync.Mutex
	jobs  map[int]*listed
}

type hidden struct{ shelf *shelf }

var registry = &shelf{jobs: map[int]*listed{}}
var nested = &hidden{shelf: &shelf{jobs: map[int]*listed{}}}
var kept sync.Map
var handlers []func() int

type server struct{ never chan bool }

//go:noinline
func wait(mine *awaited, never chan bool) {
	<-never
	runtime.KeepAlive(mine)
}

func (s *server) serve(number int) {
	go wait(&awaited{number: number}, s.never) // by this line
}

func expire() { fmt.Println("late") }

//go:noinline
func leak(count, first int) {
	s := &server{never: make(chan bool)}
	for i := first; i < first+count; i++ {
		registry.jobs[i] = &listed{number: i}
		nested.shelf.jobs[i] = &listed{number: -i}
		kept.Store(i, &stored{number: i})
		name := fmt.Sprint("job ", i)
		job := &captured{number: i, name: &name}
		handlers = append(handlers, func() int { return job.number + len(*job.name) })
		s.serve(i)
		time.AfterFunc(time.Hour, expire)
	}
}

func main() {
	planted := 0
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words, number := strings.Fields(lines.Text()), 0
		switch words[0] {
		case "leak":
			fmt.Sscan(words[1], &number)
			leak(number, planted)
			planted += number
			time.Sleep(100 * time.Millisecond) // the goroutines come to where they wait
			fmt.Println("leaked", planted)
		case "dump":
			runtime.GC()
			file, err := os.Create(words[1])
			if err != nil {
				panic(err)
			}
			debug.WriteHeapDump(file.Fd())
			file.Close()
			fmt.Println("dumped")
		case "quit":
			return
		}
	}
}
