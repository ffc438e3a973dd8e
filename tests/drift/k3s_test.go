package drift_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/drift"
)

// project is the root folder of this repository.
const project = "../.."

// subjects returns the lab's K3s, if it is built, and the upstream K3s, if there is one. It fails
// the test if there is only an upstream K3s.
func subjects(t *testing.T) map[string]k3s {
	t.Helper()
	found := map[string]k3s{}
	original, given := originalK3s(t)
	if given {
		found["original"] = original
	}
	own, built := labsK3s(t)
	switch {
	case built:
		found["stand-in"] = own
	case given:
		t.Errorf("%s was compared with nothing: the lab's K3s is not built; make lab builds it",
			original.binary)
	default:
		t.Log("the stand-in was not checked: the lab has not built it")
	}
	return found
}

// originalK3s returns the upstream K3s in the folder ORIGINALS; false if there is none.
func originalK3s(t *testing.T) (k3s, bool) {
	t.Helper()
	file, there, err := drift.Original("k3s")
	require.NoError(t, err)
	if dir := os.Getenv(drift.Variable); dir != "" && !there {
		t.Logf("the original was not checked: %s has no k3s-VERSION", dir)
	}
	return k3s{file.Path, file.Version}, there
}

// labsK3s returns the K3s of the lab's bundle; false if there is no bundle.
func labsK3s(t *testing.T) (k3s, bool) {
	t.Helper()
	// Go caches a test's result by the project's files that the test has read. The bundle is
	// outside the project, so the test reads the sources of the lab's K3s.
	require.NoError(t,
		filepath.WalkDir(filepath.Join(project, "tests", "lab", "k3s"),
			func(path string, _ fs.DirEntry, err error) error {
				if err == nil {
					_, err = os.Stat(path)
				}
				return err
			}))
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	bundle := filepath.Join(cache, "strata", "bundle")
	text, err := os.ReadFile(filepath.Join(bundle, "manifest.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return k3s{}, false
	}
	require.NoError(t, err)
	var manifest struct {
		Artifacts []struct{ Name, Version, Path string }
	}
	require.NoError(t, json.Unmarshal(text, &manifest))
	for _, artifact := range manifest.Artifacts {
		if artifact.Name == "k3s" {
			return k3s{filepath.Join(bundle, artifact.Path), artifact.Version}, true
		}
	}
	return k3s{}, false
}

func TestK3sMeetsContract(t *testing.T) {
	needsSandbox(t)
	all := subjects(t)
	if len(all) == 0 {
		t.Skip("no K3s was checked: there is neither a bundle nor an original; make lab builds one")
	}
	for name, subject := range all {
		t.Run(name+" "+subject.version, func(t *testing.T) {
			for _, row := range contract {
				if row.check == nil {
					continue
				}
				t.Run(row.begins, func(t *testing.T) {
					t.Parallel()
					row.check(t, subject)
				})
			}
		})
	}
}

// recorder records whether a check fails.
type recorder struct {
	testing.TB
	failed bool
}

// Errorf records a failed assertion.
func (r *recorder) Errorf(string, ...any) { r.failed = true }

// Each check must fail for a program that is not K3s.
func TestOtherProgramFailsEveryContractCheck(t *testing.T) {
	needsSandbox(t)
	binary := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o700))
	for _, row := range contract {
		if row.check == nil {
			continue
		}
		t.Run(row.begins, func(t *testing.T) {
			t.Parallel()
			watched := &recorder{TB: t}
			row.check(watched, k3s{binary, "v1"})
			assert.True(t, watched.failed)
		})
	}
}

// A downloaded binary is not executable, and the test must not change the user's file.
func TestUpstreamK3sRunsWithoutExecutableMode(t *testing.T) {
	needsSandbox(t)
	binary := filepath.Join(t.TempDir(), "k3s-v1")
	require.NoError(t, os.WriteFile(binary, []byte("#!/bin/sh\necho \"I am ${0##*/}\"\n"), 0o644))
	assert.Equal(t, outcome{said: "I am k3s\n"}, k3s{binary, "v1"}.run(t, start{}))
	info, err := os.Stat(binary)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode())
}

// flagInHelp matches a flag, by one of its names, in the output of --help.
var flagInHelp = regexp.MustCompile(`(?m)[ ,]--?([a-z0-9][a-z0-9-]*)`)

// A user may set every flag of K3s in k3s.serverArgs. A flag that the list lacks would be refused.
func TestFlagListHasEveryUpstreamK3sFlag(t *testing.T) {
	needsSandbox(t)
	original, given := originalK3s(t)
	if !given {
		t.Skip("flags were not compared: there is no original K3s")
	}
	for _, role := range []string{"server", "agent"} {
		found := flagInHelp.FindAllStringSubmatch(original.run(t,
			start{args: []string{role, "--help"}}).said, -1)
		require.Greater(t, len(found), 20, "%s --help names few flags", role)
		listed := append(listedFlags(t, role), "help", "h")
		for _, flag := range found {
			assert.Contains(t, listed, flag[1], role)
		}
	}
}

// Each row of the contract must be in the list with a test, and each test in the list must exist.
func TestEachContractRowIsListed(t *testing.T) {
	rows := rowsOf(t, filepath.Join(project, "tests/lab/k3s-contract.md"))
	for _, row := range rows {
		listed := 0
		for _, one := range contract {
			if strings.HasPrefix(row, one.begins) {
				listed++
			}
		}
		assert.Equal(t, 1, listed,
			"expected one row of the list that begins as this one of tests/lab/k3s-contract.md: %s", row)
	}
	for _, one := range contract {
		assert.True(t, slices.ContainsFunc(rows,
			func(row string) bool { return strings.HasPrefix(row, one.begins) }),
			"tests/lab/k3s-contract.md has no row %s", one.begins)
		for _, test := range one.also {
			assert.True(t, testIsThere(t, test), "%s: there is no %s", one.begins, test)
		}
	}
}

// rowsOf returns the first cell of each row in a file's tables, without the headings.
func rowsOf(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var rows []string
	for line := range strings.Lines(string(text)) {
		row, is := strings.CutPrefix(line, "| ")
		if is && !strings.HasPrefix(row, "---") && !strings.HasPrefix(row, "what |") {
			rows = append(rows, row)
		}
	}
	require.NotEmpty(t, rows)
	return rows
}

// testIsThere reports whether a test exists, given as "FOLDER NAME".
func testIsThere(t *testing.T, test string) bool {
	t.Helper()
	folder, name, _ := strings.Cut(test, " ")
	files, err := filepath.Glob(filepath.Join(project, folder, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Contains(string(text), "func "+name+"(t *testing.T)")
	})
}
