package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// missingImage is a release of Traefik that nobody has made.
const missingImage = "v99.0.0"

// survivesABadUpgrade upgrades Traefik to an image that does not exist, and then back to the good one.
func (s *stack) survivesABadUpgrade(t *testing.T) {
	bad := s.otherBundle(t, "charts/traefik-*.tgz", func(path string) string { return s.repack(t, path) })
	s.with("STRATA_ARTIFACTS="+bad, func() {
		r := s.up()
		require.Error(t, r.err, "%s", r.output)
		assert.Contains(t, r.output, "traefik:"+missingImage, "the image is named")
		assert.Contains(t, r.output, "traefik-rollout")
		// Two failed pulls, each of which takes 40 s where, as in the lab, no name server answers; a registry says no at once.
		assert.Less(t, r.took, 2*time.Minute, "it is told soon, and not at the deadline of five minutes")
	})
	assert.Equal(t, http.StatusUnauthorized, s.get(t, s.urls()["traefik"], "").code, "the previous version serves")
	s.must(s.up())
	s.must(s.up("--expect-no-changes"))
}

// repack gives a chart another appVersion, and returns the new file's sum.
func (s *stack) repack(t *testing.T, chart string) string {
	dir := t.TempDir()
	s.must(s.run("tar", "-xzf", chart, "-C", dir))
	s.must(s.run("sed", "-i", "s/^appVersion:.*/appVersion: "+missingImage+"/", dir+"/traefik/Chart.yaml"))
	require.NoError(t, os.Remove(chart), "it is a link to the bundle's own")
	s.must(s.run("tar", "-czf", chart, "-C", dir, "traefik"))
	text, err := os.ReadFile(chart)
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
