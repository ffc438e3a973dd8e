package layout_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/layout"
)

// The lab is called from folders of its own, and a user names a folder from the top of the checkout.
func TestOriginalsAreRelativeToTheCheckout(t *testing.T) {
	for given, want := range map[string]string{"": "", "../originals": "../originals", "/srv/originals": "/srv/originals"} {
		t.Setenv("ORIGINALS", given)
		at, err := layout.Find(".")
		require.NoError(t, err)
		if want != "" && !filepath.IsAbs(want) {
			want = filepath.Join(at.Checkout, want)
		}
		assert.Equal(t, want, at.Originals)
		assert.Equal(t, given != "", filepath.Base(at.Bundle()) == "bundle-originals")
	}
}
