// shop SECRETS FOLDER: what a program reads, in every place that data can take. See test_canaries.py.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"sync"
)

type customer struct {
	password string
	letters  []byte
	parts    []interface{}
	next     *customer
}

var byName = map[string]*customer{}
var sets = map[interface{}]string{}
var shared sync.Map
var held []interface{}
var last *customer
var files []*os.File
var never = make(chan bool)

func hold(text string) {
	one := &customer{text, []byte(text), []interface{}{text, text + text}, last}
	last = one
	byName[text] = one
	sets[[2]string{text, text}] = text
	shared.Store(text, one)
	word := text + "/" + text
	held = append(held, errors.New(text), strings.Split(word, "/"), func() string { return word }, []rune(text), bufio.NewReader(strings.NewReader(word)))
}

func wait(text string) {
	mine := text + text
	pprof.Do(context.Background(), pprof.Labels(text, mine), func(context.Context) { <-never; fmt.Println(mine) })
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	secrets := strings.Fields(string(data))
	for _, text := range secrets {
		hold(strings.Clone(text))
	}
	for _, text := range secrets[:10] {
		file, err := os.Create(os.Args[2] + "/" + text)
		if err != nil {
			panic(err)
		}
		files = append(files, file)
		os.Setenv("SHOP_"+text, text)
		go wait(text)
	}
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan() && in.Text() != "quit"; {
	}
	fmt.Fprint(os.Stderr, len(files), len(held))
}
