package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReadCommandsRefuseInvalidInput(t *testing.T) {
	code, _, stderr := invoke(t, `{"timeout":"1s","revison":"x"}`, "nodes")
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "revison")

	t.Setenv("STRATA_KUBECONFIG", kubeconfigOfTwo)
	code, _, stderr = invoke(t, `{"timeout":"1s","resource":"secrets","path":"{.a"}`, "read")
	assert.Equal(t, 2, code, "it sends no request")
	assert.Contains(t, stderr, "unclosed")
}
