package pool

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPoolSizeCountsAddresses(t *testing.T) {
	for _, c := range []struct {
		addresses []string
		avoid     bool
		want      int64
	}{
		{[]string{"10.10.0.200-10.10.0.210"}, false, 11},
		{[]string{"10.10.0.200 - 10.10.0.200"}, false, 1},
		{[]string{"10.10.0.0/24"}, false, 256},
		{[]string{"10.10.0.7/30"}, false, 4},
		{[]string{"10.0.0.0/32", "10.0.1.0-10.0.1.1"}, false, 3},
		{[]string{"10.255.255.250-11.0.0.5"}, false, 12},
		{[]string{"fd00::10-fd00::1f"}, false, 16},
		{[]string{"fd00::/64"}, false, 0},
		{[]string{"fd00::/96"}, false, 1 << 32},
		{[]string{"fd00::-fd00::1:0:0"}, false, 0},
		{[]string{"x-y"}, false, 0},
		{[]string{"10.10.0.0/24"}, true, 0},
		{[]string{"10.10.0.210-10.10.0.200"}, false, 0},
		{[]string{"10.10.0.1-fd00::1"}, false, 0},
		{[]string{"nonsense"}, false, 0},
		{[]string{"10.10.0.1-x"}, false, 0},
		{[]string{"x-10.10.0.1"}, false, 0},
		{nil, false, 0},
	} {
		assert.Equal(t, c.want, poolSize(c.addresses, c.avoid), "%v", c.addresses)
	}
}
