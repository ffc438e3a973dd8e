package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckPodsSaysWhichPodDoesNotWait(t *testing.T) {
	text, err := os.ReadFile("../../docs/cert-wait.yaml")
	require.NoError(t, err)
	run := func(stdin string, args ...string) (int, string) {
		var out bytes.Buffer
		code := Run(append([]string{"check", "pods"}, args...), strings.NewReader(stdin), &out, &out)
		return code, out.String()
	}
	code, output := run(string(text), "-")
	assert.Equal(t, 0, code, output)
	code, output = run(strings.Replace(string(text), "optional: true", "optional: false", 1), "-")
	assert.Equal(t, 1, code, output)
	assert.Contains(t, output, "-: Deployment apps/shop: volume tls of Secret shop-tls is not optional")
	code, output = run("", "/nowhere/a.yaml")
	assert.Equal(t, 2, code, output)
	assert.Contains(t, output, "/nowhere/a.yaml")
}
