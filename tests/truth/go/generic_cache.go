// A generic cache with a limit that is never enforced.
package main

import "fmt"

type entry[V any] struct {
	value V
	uses  int
}

type cache[K comparable, V any] struct {
	entries map[K]*entry[V]
	limit   int
}

func newCache[K comparable, V any](limit int) *cache[K, V] {
	return &cache[K, V]{entries: make(map[K]*entry[V]), limit: limit}
}

func (c *cache[K, V]) put(key K, value V) {
	c.entries[key] = &entry[V]{value: value}
}

type thumbnail struct{ pixels [100]byte }

var thumbnailCache *cache[string, *thumbnail]

func setup() {
	thumbnailCache = newCache[string, *thumbnail](100)
}

func plant(number int) {
	thumbnailCache.put(fmt.Sprintf("picture-%06d.jpg", number), &thumbnail{})
}
