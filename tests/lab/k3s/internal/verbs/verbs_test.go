package verbs

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Upstream's k3s prints its file's name, for example k3s-v1.34.2+k3s1 from $ORIGINALS.
func TestVersionTextNamesExecutableFile(t *testing.T) {
	assert.Regexp(t, `^k3s version v\S+ \(standin\)\ngo version go`, versionText("/usr/local/bin/k3s"))
	assert.Regexp(t, `^k3s-v1\.34\.2\+k3s1 version v\S+ \(standin\)\n`, versionText("originals/k3s-v1.34.2+k3s1"))
}
