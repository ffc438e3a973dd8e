package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"strata/tests/gates/mutants/choice"
)

const (
	// undisturbed is the timeout of a test without a mutant, on a shared machine.
	undisturbed = 3 * time.Minute
	// With a mutant, the timeout of tests is slack times their usual duration, and patience more.
	// Tests that still run then hang, and are killed.
	slack, patience = 5, 10 * time.Second
	// quick is the longest duration of a test that does not wait.
	quick = time.Second
)

// test is one test of a suite, with its duration when run alone and the mutants it reaches.
type test struct {
	name    string
	took    time.Duration
	reaches map[int]bool
}

// run runs the named tests of a suite, or all of them, and stops at the first failure. It returns
// their output, and whether all passed.
func (s *suite) run(bound time.Duration, tests []string, environment ...string) (string, bool) {
	// When its own shorter timeout expires, the test binary prints where a test hangs.
	ctx, cancel := context.WithTimeout(context.Background(), bound+5*time.Second)
	defer cancel()
	pattern := "."
	if len(tests) > 0 {
		pattern = "^(" + strings.Join(tests, "|") + ")$"
	}
	run := exec.CommandContext(ctx, s.binary, "-test.failfast", "-test.parallel=16",
		"-test.timeout="+bound.String(), "-test.run="+pattern)
	run.Dir = s.folder
	run.Env = append(os.Environ(), environment...)
	out, err := run.CombinedOutput()
	return string(out), err == nil
}

// attempt calls run, and calls it once more if tests fail whose usual duration took is longer than
// quick. Such tests wait for real time, and may fail by chance on a loaded machine, which would
// count as a killed mutant.
func (s *suite) attempt(
	bound, took time.Duration, tests []string, environment ...string,
) (string, bool) {
	out, passed := s.run(bound, tests, environment...)
	if !passed && took > quick {
		out, passed = s.run(bound, tests, environment...)
	}
	return out, passed
}

// explore runs each test alone without a mutant, and records its duration and the mutants that it
// reaches.
func (s *suite) explore() error {
	out, err := exec.Command(s.binary, "-test.list=.").Output()
	if err != nil {
		return fmt.Errorf("tests of %s: %w", s.folder, err)
	}
	names := strings.Fields(string(out))
	s.tests = make([]test, len(names))
	return inParallel(len(names), func(i int) error {
		reached := s.binary + "." + strconv.Itoa(i)
		start := time.Now()
		out, passed := s.attempt(undisturbed, undisturbed, names[i:i+1], choice.Reached+"="+reached)
		if !passed {
			return fmt.Errorf("%s of %s fails without a mutant:\n%s", names[i], s.folder, out)
		}
		ids, err := numbers(reached)
		s.tests[i] = test{name: names[i], took: time.Since(start), reaches: ids}
		return err
	})
}

// numbers returns the numbers in a file that package choice wrote; none if the file is missing.
func numbers(path string) (map[int]bool, error) {
	ids := map[int]bool{}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return ids, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it is read only.
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		id, err := strconv.Atoi(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		ids[id] = true
	}
	return ids, lines.Err()
}

// killed reports whether a test that reaches the mutant fails. The tests of the mutant's folder run
// first, then those of folders that import it. A suite is built when the first mutant needs it.
func killed(m *mutant, suites []*suite) (bool, error) {
	folder := filepath.Dir(m.file)
	for _, own := range []bool{true, false} {
		for _, s := range suites {
			if own && s.folder != folder || !own && !s.imports[folder] {
				continue
			}
			if err := s.ready(); err != nil {
				return false, err
			}
			if s.kills(m) {
				return true, nil
			}
		}
	}
	return false, nil
}

func (s *suite) kills(m *mutant) bool {
	var names []string
	var took time.Duration
	for _, one := range s.tests {
		if one.reaches[m.id] {
			names = append(names, one.name)
			took += one.took
		}
	}
	if len(names) == 0 {
		return false
	}
	_, passed := s.attempt(slack*took+patience, took, names, choice.Variable+"="+strconv.Itoa(m.id))
	return !passed
}
