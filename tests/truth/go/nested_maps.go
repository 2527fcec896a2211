// Hits by tenant and day: ten tenants, each of which gets new days.
package main

import "fmt"

type hits struct {
	count   int
	buckets [8]int
}

type metrics struct {
	tenants map[string]map[int]*hits
}

var tenantMetrics = newMetrics()

func newMetrics() *metrics {
	m := &metrics{tenants: map[string]map[int]*hits{}}
	for i := 0; i < 10; i++ {
		m.tenants[fmt.Sprint("tenant ", i)] = map[int]*hits{}
	}
	return m
}

func setup() {}

func plant(number int) {
	tenantMetrics.tenants[fmt.Sprint("tenant ", number%10)][number] = &hits{count: 1}
}
