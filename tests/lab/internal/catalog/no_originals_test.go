package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/lab/internal/catalog"
)

// A user who sets ORIGINALS wants to run these upstream artifacts. If the lab silently used its own
// builds, the result would look as if the upstream artifacts had run.
func TestBuildRejectsOriginalsFolderWithoutArtifacts(t *testing.T) {
	at := given(t, "README.md", "strata.lock")
	names, err := catalog.ArtifactsOf(at)
	require.NoError(t, err)
	_, err = catalog.StepsFor(at, t.TempDir(), names)
	assert.EqualError(t, err, "ORIGINALS="+at.Originals+" has no original: see tests/lab/originals.md for the names")

	_, err = catalog.StepsFor(at, t.TempDir(), nil)
	assert.NoError(t, err, "a destroy needs none, and the folder may have been emptied since the up")
}
