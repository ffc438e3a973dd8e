package layout_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/layout"
)

// Callers run the lab from different folders, but a user gives the path relative to the checkout's
// root.
func TestOriginalsPathIsRelativeToTheCheckout(t *testing.T) {
	for given, want := range map[string]string{"": "", "../originals": "../originals",
		"/srv/originals": "/srv/originals"} {
		t.Setenv("ORIGINALS", given)
		at, err := layout.Find(".")
		require.NoError(t, err)
		if want != "" && !filepath.IsAbs(want) {
			want = filepath.Join(at.Checkout, want)
		}
		assert.Equal(t, want, at.Originals)
		assert.Equal(t, given != "", strings.HasPrefix(filepath.Base(at.Bundle()), "bundle-originals-"))
	}
}

// Two stacks may be created at the same time, each with its own folder of upstream artifacts.
func TestEachOriginalsFolderGetsItsOwnBundleAndPlugins(t *testing.T) {
	t.Setenv("ORIGINALS", "/srv/originals")
	one, err := layout.Find(".")
	require.NoError(t, err)
	t.Setenv("ORIGINALS", "/srv/originals/")
	same, err := layout.Find(".")
	require.NoError(t, err)
	t.Setenv("ORIGINALS", "/srv/others")
	other, err := layout.Find(".")
	require.NoError(t, err)
	assert.Equal(t, one.Bundle(), same.Bundle())
	assert.NotEqual(t, one.Bundle(), other.Bundle())
	assert.NotEqual(t, one.PulumiHome(), other.PulumiHome())
	assert.NotEqual(t, one.Record(), other.Record())
}
