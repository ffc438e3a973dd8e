package main

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// suite has the tests of one folder, compiled with the instrumented code of all folders.
type suite struct {
	folder, overlay, binary string
	// imports has the other folders of Strata that the folder imports.
	imports map[string]bool
	// ready compiles the tests and runs each of them once. Later calls return the same result.
	ready func() error
	tests []test
}

func newSuite(r room, overlay, scratch string) (*suite, error) {
	s := &suite{folder: r.folder, overlay: overlay,
		binary: filepath.Join(scratch, filepath.Base(r.folder)+".test"), imports: map[string]bool{}}
	s.ready = sync.OnceValue(func() error {
		start := time.Now()
		err := s.compile()
		if err == nil {
			err = s.explore()
		}
		fmt.Fprintf(os.Stderr, "mutants: tests of %s: %d, built and run in %.0f s\n", s.folder,
			len(s.tests), time.Since(start).Seconds())
		return err
	})
	paths, err := filepath.Glob(r.folder + "/*.go")
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, one := range parsed.Imports {
			if folder, ours := strings.CutPrefix(strings.Trim(one.Path.Value, `"`),
				"strata/"); ours &&
				folder != r.folder {
				s.imports[folder] = true
			}
		}
	}
	return s, nil
}

// overlay instruments the files of the rooms, and writes a file for go build that maps each file to
// its instrumented copy. It returns the path of that file and all mutants, numbered from 1.
func overlay(all []room, scratch string) (string, []*mutant, error) {
	list := struct{ Replace map[string]string }{map[string]string{}}
	var mutants []*mutant
	for _, room := range all {
		for _, path := range room.files {
			text, err := instrument(path, &mutants)
			if err != nil {
				return "", nil, fmt.Errorf("%s: %w", path, err)
			}
			full, err := filepath.Abs(path)
			if err != nil {
				return "", nil, err
			}
			to := filepath.Join(scratch, strconv.Itoa(len(list.Replace))+".go")
			list.Replace[full] = to
			if err := os.WriteFile(to, text, 0o600); err != nil {
				return "", nil, err
			}
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return "", nil, err
	}
	path := filepath.Join(scratch, "overlay.json")
	return path, mutants, os.WriteFile(path, text, 0o600)
}

func (s *suite) compile() error {
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", s.overlay, "-o", s.binary,
		"./"+s.folder)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build tests of %s: %w\n%s", s.folder, err, out)
	}
	if _, err := os.Stat(s.binary); err != nil {
		return fmt.Errorf("%s has no tests", s.folder)
	}
	return nil
}
