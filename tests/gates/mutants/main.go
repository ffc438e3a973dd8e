package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	only := flag.String("rooms", "", "folders of health, with commas between; all where none is named")
	match := flag.String("match", "", "a regular expression of the names of the changes that are tried; empty is all")
	write := flag.Bool("write", false,
		"write what was found to "+reportFile+" and "+resultsFile+"; only of all changes")
	flag.Parse()
	if err := run(*only, *match, *write); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(only, match string, write bool) error {
	if write && (only != "" || match != "") {
		return errors.New("-write: expected neither -rooms nor -match: what is recorded is of all changes")
	}
	all, err := rooms()
	if err != nil {
		return fmt.Errorf("no files in %s: run it in the root of the repository: %w",
			healthFolder, err)
	}
	known, err := readEquivalents(equivalentsFile)
	if err != nil {
		return err
	}
	chosen, err := choose(all, only)
	if err != nil {
		return err
	}
	named, err := regexp.Compile(match)
	if err != nil {
		return fmt.Errorf("-match: %w", err)
	}
	tried, err := try(all, chosen, named)
	if err != nil {
		return err
	}
	whole := only == "" && match == ""
	survivors, err := known.check(tried, whole)
	if write {
		if err := report(tried, known); err != nil {
			return err
		}
	}
	for _, m := range survivors {
		fmt.Printf("%s:%d survives: %s\n", m.file, m.line, m.name())
	}
	fmt.Printf("mutants: %d tried, %d survive\n", len(tried), len(survivors))
	if err == nil && len(survivors) > 0 {
		return fmt.Errorf("%d survive: each lacks a fixture, or is an equivalent for %s",
			len(survivors), equivalentsFile)
	}
	return err
}

// choose returns the rooms whose mutants are tried: all, or only those in a list.
func choose(all []room, only string) ([]room, error) {
	if only == "" {
		return all, nil
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(r room) bool {
		return !slices.Contains(strings.Split(only, ","), r.folder)
	})
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-rooms %s: expected folders such as %s, found none that judges", only,
			all[len(all)-1].folder)
	}
	return chosen, nil
}

// try runs the tests with each mutant of the chosen rooms whose name matches named.
func try(all, chosen []room, named *regexp.Regexp) ([]*mutant, error) {
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // scratch.
	list, mutants, err := overlay(chosen, scratch)
	if err != nil {
		return nil, err
	}
	suites := make([]*suite, len(all))
	for i, room := range all {
		if suites[i], err = newSuite(room, list, scratch); err != nil {
			return nil, err
		}
	}
	mutants = slices.DeleteFunc(mutants,
		func(m *mutant) bool { return !named.MatchString(m.name()) })
	return mutants, inParallel(len(mutants), func(i int) (err error) {
		mutants[i].killed, err = killed(mutants[i], suites)
		return err
	})
}
