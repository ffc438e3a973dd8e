package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A subcommand without a timeout could block the whole run for ever.
func TestInternalSubcommandsRequireTimeout(t *testing.T) {
	for output, args := range map[string][]string{
		"crds apply: a positive timeout": {"crds", "apply"},
		"read: a positive timeout":       {"read"},
		"push: a positive timeout":       {"push"},
		"hostkey: a positive timeout":    {"hostkey"},
	} {
		stdin := map[string]string{"push": `{"mode":"0755"}`,
			"hostkey": `{"address":"127.0.0.1"}`}[args[0]]
		if stdin == "" {
			stdin = "{}"
		}
		code, stdout, stderr := invoke(t, stdin, args...)
		assert.Equal(t, 2, code, output)
		assert.Empty(t, stdout, output)
		assert.Contains(t, stderr, output)
	}
}

func TestUnreadableKubeconfigErrorNamesVariable(t *testing.T) {
	t.Setenv("STRATA_KUBECONFIG", "no kubeconfig")
	for _, args := range [][]string{{"crds", "remove"}, {"read"}} {
		code, _, stderr := invoke(t, `{"timeout":"1s"}`, args...)
		assert.Equal(t, 2, code, args)
		assert.Contains(t, stderr, strings.Join(args, " ")+": STRATA_KUBECONFIG: ")
		assert.NotContains(t, stderr, "no kubeconfig")
	}
}
