package verbs

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// An upstream file in $ORIGINALS, such as k3s-v1.34.2+k3s1, prints its file name.
func TestVersionTextNamesExecutableFile(t *testing.T) {
	assert.Regexp(t, `^k3s version v\S+ \(standin\)\ngo version go`, versionText("/usr/local/bin/k3s"))
	assert.Regexp(t, `^k3s-v1\.34\.2\+k3s1 version v\S+ \(standin\)\n`, versionText("originals/k3s-v1.34.2+k3s1"))
}
