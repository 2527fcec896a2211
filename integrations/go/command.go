package hsdifftest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Exit statuses of hsdiff check.
const (
	passed = 0
	failed = 1
)

func command() string {
	if path := os.Getenv("HSDIFF"); path != "" {
		return path
	}
	return "hsdiff"
}

func demandCommand() error {
	if err := exec.Command(command(), "--version").Run(); err != nil {
		return fmt.Errorf("the command hsdiff does not run (%v). Install it (its doc/install.md says how), or set the variable HSDIFF to its path", err)
	}
	return nil
}

// run returns what hsdiff said of captures of this program, and its exit status.
func run(words ...string) (string, int, error) {
	program, err := os.Executable()
	if err != nil {
		return "", 0, err
	}
	asked := exec.Command(command(), append(words, "-q", "--color", "never", "--exe", program)...)
	said, err := asked.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", 0, err
	}
	return string(said), asked.ProcessState.ExitCode(), nil
}

// paragraphs are those of the text that begin with one of the words.
func paragraphs(text string, starts ...string) []string {
	var found []string
	for _, part := range strings.Split(text, "\n\n") {
		for _, start := range starts {
			if strings.HasPrefix(strings.TrimLeft(part, " \n"), start) {
				found = append(found, strings.TrimRight(part, "\n"))
			}
		}
	}
	return found
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// keep copies the page of a failure to where it stays.
func keep(page, name string) (string, error) {
	folder := os.Getenv("HSDIFF_REPORTS")
	if folder == "" {
		folder = "hsdiff-reports"
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	kept := filepath.Join(folder, notInNames.ReplaceAllString(name, "-")+".html")
	return kept, os.WriteFile(kept, text, 0o644)
}
