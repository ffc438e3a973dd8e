package crds_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/crds"
)

const (
	one = "# licence\n---\nkind: CustomResourceDefinition\nmetadata: {name: ones.x}\n"
	two = "kind: CustomResourceDefinition\nmetadata: {name: twos.x}\n---\nkind: " +
		"ValidatingAdmissionPolicy\nmetadata: {name: guard}\n"
	secret = "kind: Secret\nmetadata: {name: s}\n"
)

// files writes each text to a separate file, and returns the paths.
func files(t *testing.T, texts ...string) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, text := range texts {
		path := filepath.Join(dir, string(rune('a'+i))+".yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		paths = append(paths, path)
	}
	return paths
}

func TestJoinKeepsTheOrderOfTheFiles(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.yaml")
	require.NoError(t, crds.Join(out, files(t, two, one)...))
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, `---
kind: CustomResourceDefinition
metadata: {name: twos.x}
---
kind: ValidatingAdmissionPolicy
metadata: {name: guard}
---
kind: CustomResourceDefinition
metadata: {name: ones.x}
`, string(text))
}

func TestJoinRejectsInvalidCRDFiles(t *testing.T) {
	for _, test := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"another kind", []string{one, secret}, `b.yaml: Secret "s" does not belong to CRDs`},
		{"duplicate object", []string{one, one}, "b.yaml: CustomResourceDefinition ones.x is in a.yaml already"},
		{"empty", []string{"# nothing\n"}, "a.yaml holds no object"},
		{"no YAML", []string{"a: b: c"}, "a.yaml: "},
		{"no file", nil, "no file to join"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.yaml")
			assert.ErrorContains(t, crds.Join(out, files(t, test.texts...)...), test.want)
			assert.NoFileExists(t, out)
		})
	}
}
