// Plugins in a slice of an interface type.
package main

type plugin interface{ Run() int }

type counter struct {
	hits    int
	samples [7]int
}

type greeter struct{ text, language string }

func (c *counter) Run() int { c.hits++; return c.hits }
func (g *greeter) Run() int { return len(g.text) }

var loadedPlugins []plugin

func setup() {
	loadedPlugins = make([]plugin, 0, 32768)
}

func plant(number int) {
	if number%2 == 0 {
		loadedPlugins = append(loadedPlugins, &counter{hits: number})
	} else {
		loadedPlugins = append(loadedPlugins, &greeter{text: "hello", language: "en"})
	}
}
