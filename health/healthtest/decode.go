package healthtest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// Decode parses YAML into an object.
func Decode[T any](t *testing.T, text string) *T {
	t.Helper()
	out := new(T)
	require.NoError(t, yaml.Unmarshal([]byte(text), out))
	return out
}
