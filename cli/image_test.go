package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestImageWritesArchiveAndPrintsHowToUseIt(t *testing.T) {
	run := func(args ...string) (int, string) {
		var out bytes.Buffer
		code := Run(append([]string{"image"}, args...), strings.NewReader(""), &out, &out)
		return code, out.String()
	}
	file := filepath.Join(t.TempDir(), "go-rest.tar")
	code, output := run("go-rest", "--project", "..", "--output", file, "--arch", "amd64")
	assert.Equal(t, 0, code, output)
	assert.Contains(t, output, file+" has localhost/strata/go-rest:1.0.0 for linux/amd64")
	assert.Contains(t, output, "pulumi config set --path strata:apps.restImage localhost/strata/go-rest:1.0.0")
	assert.FileExists(t, file)

	code, output = run("gorest")
	assert.Equal(t, 2, code)
	assert.Contains(t, output, "expected one of go-rest, cert-wait, testserver, found gorest")
	code, output = run("go-rest", "--project", t.TempDir())
	assert.Equal(t, 1, code)
	assert.Contains(t, output, "examples/go-rest")
}
