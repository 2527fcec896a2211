// Jobs in a container/heap: those of low priority starve.
package main

import "container/heap"

type job struct {
	priority int
	payload  [11]int
}

type jobHeap []*job

func (h jobHeap) Len() int           { return len(h) }
func (h jobHeap) Less(i, j int) bool { return h[i].priority > h[j].priority }
func (h jobHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *jobHeap) Push(x any)        { *h = append(*h, x.(*job)) }
func (h *jobHeap) Pop() any          { last := (*h)[len(*h)-1]; *h = (*h)[:len(*h)-1]; return last }

type scheduler struct {
	waiting jobHeap
	ran     int
}

var jobScheduler = scheduler{waiting: make(jobHeap, 0, 32768)}

func setup() {}

func plant(number int) {
	heap.Push(&jobScheduler.waiting, &job{priority: number % 10})
	heap.Push(&jobScheduler.waiting, &job{priority: 100})
	heap.Pop(&jobScheduler.waiting)
	jobScheduler.ran++
}
