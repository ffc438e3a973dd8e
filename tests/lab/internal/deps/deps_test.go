package deps_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/tests/lab/internal/deps"
)

func TestMissingListsPackagesNotFullyInstalled(t *testing.T) {
	var query strings.Builder
	for _, one := range deps.Packages {
		switch one.Name {
		case "jq": // removed, but its configuration remains
			fmt.Fprintln(&query, "jq rc")
		case "zstd": // not known to dpkg
		default:
			fmt.Fprintf(&query, "%s ii \n", one.Name)
		}
	}
	assert.Equal(t, []string{"jq", "zstd"}, deps.Missing(query.String(), deps.Packages))
}

func TestPackagesAreSortedAndHaveAReason(t *testing.T) {
	for _, list := range [][]deps.Package{deps.Packages, deps.VMPackages} {
		before := ""
		for _, one := range list {
			assert.Less(t, before, one.Name)
			assert.NotEmpty(t, one.Why, one.Name)
			before = one.Name
		}
	}
}
