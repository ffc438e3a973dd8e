package nspawn

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAMachineIsItsClustersOrOfWhoHasItsKey(t *testing.T) {
	ours, theirs := &Owner{"cafe", "strata", "dev", "server-1"}, &Owner{"feed", "strata", "dev", "server-1"}
	for _, test := range []struct {
		name        string
		asks, there Spec
		foreign     bool
	}{
		{"of an older program, for a newer state", Spec{Owner: ours}, Spec{}, false},
		{"of an older program, for an older state", Spec{}, Spec{}, false},
		{"this cluster's", Spec{Owner: ours}, Spec{Owner: ours}, false},
		{"this cluster's, whose stack was renamed", Spec{Owner: ours},
			Spec{Owner: &Owner{"cafe", "p", "prod", "server-1"}}, false},
		{"another cluster's", Spec{Owner: ours}, Spec{Owner: theirs}, true},
		{"another cluster's with one key", Spec{Owner: ours, AuthorizedKey: "k"},
			Spec{Owner: theirs, AuthorizedKey: "k"}, true},
		{"an older state's own", Spec{AuthorizedKey: "k\n"}, Spec{Owner: ours, AuthorizedKey: "k"}, false},
		{"not an older state's", Spec{AuthorizedKey: "l"}, Spec{Owner: ours, AuthorizedKey: "k"}, true},
		{"of an older state without a key", Spec{}, Spec{Owner: ours}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.asks.Name = "dev-server-1"
			err := test.asks.mayHave(test.there)
			if !test.foreign {
				require.NoError(t, err)
				return
			}
			for _, says := range []string{"machine dev-server-1", test.there.Owner.String(),
				"left alone", "strata owner --take", "docs/host-ownership.md"} {
				assert.ErrorContains(t, err, says)
			}
		})
	}
}
