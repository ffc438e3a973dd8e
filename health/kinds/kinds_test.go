package kinds

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health/api"
	"strata/health/nodes"
	"strata/health/server"
)

// Each folder of health with a Spec that has Traits is a kind.
func TestEveryKindIsRegistered(t *testing.T) {
	files, err := filepath.Glob("../*/spec.go")
	require.NoError(t, err)
	var folders []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(text), "health.Traits{Kind: Kind") {
			folders = append(folders, filepath.Base(filepath.Dir(file)))
		}
	}
	var rows []string
	for _, kind := range slices.Sorted(maps.Keys(Bodies)) {
		rows = append(rows, string(kind))
	}
	assert.Equal(t, folders, rows)
}

// A reader who knows the files of one kind finds the same files in every other kind.
func TestEveryKindHasSameFiles(t *testing.T) {
	for kind := range Bodies {
		for _, name := range []string{"doc.go", "spec.go", "judge.go", "observe.go", "watch.go"} {
			assert.FileExists(t, filepath.Join("..", string(kind), name))
		}
	}
}

// A gate without a body would observe nothing, and so would open at once.
func TestSpecWithoutBodyIsRefusedUnlessOptional(t *testing.T) {
	for kind, read := range Bodies {
		text := fmt.Sprintf(`{"kind":%q,"gate":"g","timeout":"1m","servers":["https://10.10.0.11:6443"],
			"hosts":[{"name":"server-1","address":"10.10.0.11","role":"server"}]}`, kind)
		spec, err := Parse([]byte(text))
		require.NoError(t, err)
		if kind == api.Kind || kind == nodes.Kind || kind == server.Kind {
			require.NoErrorf(t, spec.Validate(), "%s needs none", kind)
		} else {
			require.ErrorContains(t, spec.Validate(), string(kind)+": missing")
		}
		body, err := read([]byte("{}"))
		require.NoError(t, err)
		assert.Equal(t, kind, body.Traits().Kind, "the row of another kind")
	}
}
