package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// sampledRooms is how many folders a sample is of: each has its tests built.
const sampledRooms = 3

func main() {
	only := flag.String("rooms", "", "folders of health, with commas between; all where none is named")
	match := flag.String("match", "", "a regular expression of the names of the changes that are tried; empty is all")
	sample := flag.Int("sample", 0, "how many changes of three folders are tried; 0 is all of all")
	seed := flag.Uint64("seed", 0, "what the sample is drawn by; 0 draws one")
	flag.Parse()
	if err := run(*only, *match, *sample, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(only, match string, sample int, seed uint64) error {
	all, err := rooms()
	if err != nil {
		return fmt.Errorf("no files in %s: run it in the root of the repository: %w", healthFolder, err)
	}
	known, err := readEquivalents(equivalentsFile)
	if err != nil {
		return err
	}
	chosen, draw, err := choose(all, only, sample, seed)
	if err != nil {
		return err
	}
	named, err := regexp.Compile(match)
	if err != nil {
		return fmt.Errorf("-match: %w", err)
	}
	tried, err := try(all, chosen, func(mutants []*mutant) []*mutant {
		mutants = slices.DeleteFunc(mutants, func(m *mutant) bool { return !named.MatchString(m.name()) })
		if draw == nil {
			return mutants
		}
		// Equivalents live through every test, and all would have to be built.
		mutants = slices.DeleteFunc(mutants, func(m *mutant) bool { return known[m.name()] != "" })
		draw.Shuffle(len(mutants), func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
		return mutants[:min(sample, len(mutants))]
	})
	if err != nil {
		return err
	}
	whole := only == "" && match == "" && sample == 0
	survivors, err := known.check(tried, whole)
	if whole {
		if err := report(tried, known); err != nil {
			return err
		}
	}
	for _, m := range survivors {
		fmt.Printf("%s:%d survives: %s\n", m.file, m.line, m.name())
	}
	fmt.Printf("mutants: %d tried, %d survive\n", len(tried), len(survivors))
	if err == nil && len(survivors) > 0 {
		return fmt.Errorf("%d survive: each lacks a fixture, or is an equivalent for %s", len(survivors), equivalentsFile)
	}
	return err
}

// choose returns the rooms whose mutants are tried, and what draws the sample; nil for all of them.
func choose(all []room, only string, sample int, seed uint64) ([]room, *rand.Rand, error) {
	chosen := slices.DeleteFunc(slices.Clone(all), func(r room) bool {
		// Of a sample that is not asked for by name, health itself is none: the tests of every kind judge it, and all would have to be built.
		return only != "" && !slices.Contains(strings.Split(only, ","), r.folder) || only == "" && sample > 0 && r.folder == healthFolder
	})
	if len(chosen) == 0 {
		return nil, nil, fmt.Errorf("-rooms %s: expected folders such as %s, found none that judges", only, all[len(all)-1].folder)
	}
	if sample == 0 {
		return chosen, nil, nil
	}
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	draw := rand.New(rand.NewPCG(seed, 0))
	draw.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	chosen = chosen[:min(sampledRooms, len(chosen))]
	var folders []string
	for _, one := range chosen {
		folders = append(folders, one.folder)
	}
	fmt.Printf("mutants: a sample of %s; again: go run ./%s/mutants -rooms '%s' -sample %d -seed %d\n", strings.Join(folders, ", "), gatesFolder, only, sample, seed)
	return chosen, draw, nil
}

// try runs the tests of all folders with each mutant of the chosen ones that pick leaves.
func try(all, chosen []room, pick func([]*mutant) []*mutant) ([]*mutant, error) {
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
	mutants = pick(mutants)
	return mutants, inParallel(len(mutants), func(i int) (err error) {
		mutants[i].killed, err = killed(mutants[i], suites)
		return err
	})
}
