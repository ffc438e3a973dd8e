package layout_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/layout"
)

// The lab is called from folders of its own, and a user names a folder from the top of the
// checkout.
func TestOriginalsAreRelativeToTheCheckout(t *testing.T) {
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

// Two stacks may come up at once, each with the originals that could be downloaded for it.
func TestEachFolderOfOriginalsHasItsBundleAndPlugins(t *testing.T) {
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
