package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// tryTimeout bounds one run of the tests, which take less than a second; a mutant that loops for ever is killed by it.
const tryTimeout = 60 * time.Second

// variable names the mutant that a run of the test binary is about; 0 and unset are none.
const variable = "STRATA_MUTANT"

// picker is added to the package: the choice between an expression and its mutant.
const picker = `package health

import (
	"os"
	"strconv"
)

var mutantID, _ = strconv.Atoi(os.Getenv("` + variable + `"))

func mutantPick[T any](id int, original, changed func() T) T {
	if id == mutantID {
		return changed()
	}
	return original()
}

func mutantKeeps(id int) bool { return id != mutantID }
`

// build compiles the tests of the package with every choice in it.
func (c *changer) build(files []string, folder string) (string, error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for i, path := range files {
		to := filepath.Join(folder, strconv.Itoa(i)+".go")
		if err := c.rewrite(path, to); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		full, err := filepath.Abs(path)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		overlay.Replace[full] = to
	}
	full, err := filepath.Abs(filepath.Join(healthPackage, "mutant_pick.go"))
	if err != nil {
		return "", fmt.Errorf("picker: %w", err)
	}
	overlay.Replace[full] = filepath.Join(folder, "pick.go")
	if err := os.WriteFile(overlay.Replace[full], []byte(picker), 0o600); err != nil {
		return "", fmt.Errorf("picker: %w", err)
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", fmt.Errorf("overlay: %w", err)
	}
	list, binary := filepath.Join(folder, "overlay.json"), filepath.Join(folder, "health.test")
	if err := os.WriteFile(list, text, 0o600); err != nil {
		return "", fmt.Errorf("overlay: %w", err)
	}
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", list, "-o", binary, "./"+healthPackage)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build with %d mutants: %w\n%s", len(c.mutants), err, out)
	}
	return binary, nil
}

// try runs the tests once without and then once with each mutant.
func (c *changer) try(binary string) error {
	if out, passed := test(binary, 0); !passed {
		return fmt.Errorf("the tests fail without a mutant:\n%s", out)
	}
	next := make(chan *mutant)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for m := range next {
				_, passed := test(binary, m.id)
				m.killed = !passed
			}
		})
	}
	for i, m := range c.mutants {
		if i%100 == 0 {
			fmt.Fprintf(os.Stderr, "mutants: %d of %d\n", i, len(c.mutants))
		}
		next <- m
	}
	close(next)
	workers.Wait()
	return nil
}

func test(binary string, id int) (string, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), tryTimeout)
	defer cancel()
	run := exec.CommandContext(ctx, binary, "-test.failfast", "-test.short")
	run.Dir = healthPackage
	run.Env = append(os.Environ(), variable+"="+strconv.Itoa(id))
	out, err := run.CombinedOutput()
	return string(out), err == nil
}
