package hsdifftest

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
)

// The file into which the process that has names writes what is to be said.
const toldIn = "HSDIFF_TOLD_IN"

var judged sync.Map // names of tests that were run in a process of their own

// hasNames tells whether this program was linked with its symbols: of "go test -c", "go test -o", and with "-ldflags=-s=0", but not of "go test" alone.
func hasNames() bool {
	program, err := os.Executable()
	if err != nil {
		return false
	}
	file, err := elf.Open(program)
	if err != nil {
		return false
	}
	defer file.Close()
	return file.Section(".symtab") != nil && (file.Section(".debug_info") != nil || file.Section(".zdebug_info") != nil)
}

// build links the tests of this package, whose folder "go test" makes the working folder, with names and the flags that this program was built with.
func build(folder string) (string, error) {
	program := filepath.Join(folder, "with-names.test")
	words := []string{"test", "-c", "-o", program}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "-tags" || setting.Key == "-race" {
				words = append(words, setting.Key+"="+setting.Value)
			}
		}
	}
	said, err := exec.Command("go", append(words, ".")...).CombinedOutput()
	if err != nil {
		return "", &buildError{strings.TrimSpace(string(said)), err}
	}
	return program, nil
}

type buildError struct {
	said string
	why  error
}

func (e *buildError) Error() string {
	return "the tests cannot be built with names (" + e.why.Error() + "): go test -o " + os.DevNull + " runs them with names, too\n" + e.said
}

// pattern is what -test.run takes for one test.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// again runs this test in a process that has names, once.
func again(t testing.TB) {
	t.Helper()
	if os.Getenv(toldIn) != "" {
		t.Fatal("hsdifftest: the program has no names, though it was built for them")
	}
	if _, seen := judged.LoadOrStore(t.Name(), true); seen {
		return
	}
	folder, err := os.MkdirTemp("", "hsdiff-")
	if err != nil {
		t.Fatalf("hsdifftest: %v", err)
	}
	defer os.RemoveAll(folder)
	program, err := build(folder)
	if err != nil {
		t.Fatalf("hsdifftest: %v", err)
	}
	told := filepath.Join(folder, "told")
	child := exec.Command(program, "-test.run="+pattern(t.Name()), "-test.count=1")
	child.Env = append(os.Environ(), toldIn+"="+told)
	output, err := child.CombinedOutput()
	if leak, unread := os.ReadFile(told); unread == nil {
		t.Fatal(string(leak))
	}
	if err != nil {
		t.Fatalf("hsdifftest: %s in a process of its own: %v\n%s", t.Name(), err, output)
	}
}

// tell is for the process that has started this one.
func tell(leak string) {
	if path := os.Getenv(toldIn); path != "" {
		os.WriteFile(path, []byte(leak), 0o600)
	}
}
