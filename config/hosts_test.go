package config_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// Directory services have names like these, and ssh accepts them.
func TestLoginNamesOfDirectoryServicesAreAccepted(t *testing.T) {
	for _, name := range []string{"root", "john.doe", "Anna", "anna@corp.example", `CORP\anna`, "svc$",
		"jürgen", "1000", "_apt"} {
		assert.True(t, config.IsLoginName(name), name)
		says, err := exec.CommandContext(t.Context(), "ssh", "-G", "-F", "/dev/null", "-l", name,
			"host").CombinedOutput()
		require.NoError(t, err, string(says))
		assert.Contains(t, string(says), "user "+name+"\n")
	}
	for _, name := range []string{"", "-oProxyCommand=x", "the admin", "a;b", "a\nb", "$(id)", "a'b", `anna\`,
		"a%h", "a:b", "a/b", "a,b", "@corp"} {
		assert.False(t, config.IsLoginName(name), name)
	}
}
