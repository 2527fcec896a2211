// Package hsdifftest fails tests that leak, with the name of what holds the memory:
//
//	func TestOrders(t *testing.T) {
//		shop := shop.Open()
//		defer shop.Close()
//		hsdifftest.NoLeak(t, func() { shop.Serve() }, hsdifftest.Calls(300))
//	}
//
// The function is run in rounds, and the runtime writes a heap dump after each (debug.WriteHeapDump). The command hsdiff, that of the variable HSDIFF or
// else of PATH, says whether something grew in every round.
package hsdifftest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

type settings struct {
	rounds, calls int
	maxGrowth     string
	allow         []string
}

// Option is what a test says of its rounds.
type Option func(*settings)

// Rounds is how many rounds are judged, after two of warm-up: 5 by default, 2 at least.
func Rounds(count int) Option { return func(s *settings) { s.rounds = count } }

// Calls is how often a round calls the function: 1 by default.
func Calls(count int) Option { return func(s *settings) { s.calls = count } }

// MaxGrowth is how much each round may leave behind: "64 KiB", "0.1 %". By default it goes by the size of the heap and the number of rounds.
func MaxGrowth(limit string) Option { return func(s *settings) { s.maxGrowth = limit } }

// Allow names holders that may grow, as globs: "*.sessions *".
func Allow(holders ...string) Option {
	return func(s *settings) { s.allow = append(s.allow, holders...) }
}

func settle(options []Option) (settings, error) {
	s := settings{rounds: 5, calls: 1, maxGrowth: "auto"}
	for _, option := range options {
		option(&s)
	}
	if s.rounds < 2 || s.calls < 1 {
		return s, fmt.Errorf("rounds are 2 or more, and calls 1 or more")
	}
	return s, nil
}

// NoLeak fails the test where f leaves something behind in every round. Tests that run in parallel share a heap: keep them apart.
//
// "go test" links without names. There NoLeak builds the tests of this package once more, with names, and runs this one test in a process of its own.
func NoLeak(t testing.TB, f func(), options ...Option) {
	t.Helper()
	s, err := settle(options)
	if err == nil {
		err = demandCommand()
	}
	if err != nil {
		t.Fatalf("hsdifftest: %v", err)
	}
	if !hasNames() {
		again(t)
		return
	}
	leak, err := judge(t.Name(), f, s)
	if err != nil {
		t.Fatalf("hsdifftest: %v", err)
	}
	if leak != "" {
		tell(leak)
		t.Fatal(leak)
	}
}

func dump(path string) error {
	runtime.GC()
	runtime.GC() // what finalizers let go
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	debug.WriteHeapDump(file.Fd())
	return file.Close()
}

// take runs the rounds: a dump after each, of which the first is warm-up and does not count.
func take(f func(), s settings, folder string) ([]string, error) {
	dumps := make([]string, 0, s.rounds+2)
	for round := 0; round < s.rounds+2; round++ {
		for call := 0; call < s.calls; call++ {
			f()
		}
		path := filepath.Join(folder, fmt.Sprintf("round-%d.heap", round))
		if err := dump(path); err != nil {
			return nil, err
		}
		dumps = append(dumps, path)
	}
	return dumps, nil
}

func (s settings) rules() ([]byte, error) {
	limit := func(usual string) string {
		if s.maxGrowth == "auto" {
			return usual
		}
		return s.maxGrowth + " per round"
	}
	allow := []map[string]string{}
	for _, holder := range s.allow {
		allow = append(allow, map[string]string{"holder": holder, "reason": "allowed by the test"})
	}
	return json.Marshal(map[string]any{
		"check": map[string]int{"warmup": 1},
		"rules": []map[string]string{
			{"name": "nothing holds more after each round", "holder": "*", "max_growth": limit("auto")},
			{"name": "the heap is no larger after each round", "metric": "total.bytes", "max_growth": limit("1 % per round")},
		},
		"allow": allow,
	})
}

// judge returns what is to be said of a leak, or nothing.
func judge(name string, f func(), s settings) (string, error) {
	folder, err := os.MkdirTemp("", "hsdiff-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	dumps, err := take(f, s, folder)
	if err != nil {
		return "", err
	}
	rules, err := s.rules()
	if err != nil {
		return "", err
	}
	config, page := filepath.Join(folder, "rules.yml"), filepath.Join(folder, "page.html")
	if err := os.WriteFile(config, rules, 0o600); err != nil {
		return "", err
	}
	verdict, status, err := run(append([]string{"check", "--top", "1", "--config", config, "--html", page}, dumps...)...)
	if err != nil || status == passed {
		return "", err
	}
	if status != failed {
		return "", fmt.Errorf("hsdiff check: %s", strings.TrimSpace(verdict))
	}
	kept, err := keep(page, name)
	if err != nil {
		return "", err
	}
	held, _, err := run(dumps[1], dumps[len(dumps)-1])
	first := fmt.Sprintf("%s leaks: something grew in each of %d rounds.", name, s.rounds)
	parts := append([]string{first}, paragraphs(held, "Live heap", "WHAT KEEPS IT ALIVE")...)
	parts = append(parts, paragraphs(verdict, "RULE ")...)
	return strings.Join(append(parts, "Report: "+kept), "\n\n"), err
}
