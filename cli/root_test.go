package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The exit code of wrong use differs from that of a finding, and of a success.
func TestWrongUseExitsWith2(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"no-such"}, `unknown command "no-such" for "strata"; see: strata --help`},
		{[]string{"check", "pod", "shop.yaml"},
			`unknown command "pod" for "strata check"; did you mean pods?`},
		{[]string{"bundle", "mkae"}, `unknown command "mkae" for "strata bundle"; did you mean make?`},
		{[]string{"drift", "--stak", "x"}, "unknown flag: --stak"},
		{[]string{"check", "pods"}, "requires at least 1 arg"},
		{[]string{"version", "now"}, `unknown command "now" for "strata version"`},
	} {
		code, _, stderr := invoke(t, "", test.args...)
		assert.Equal(t, 2, code, test.args)
		assert.Contains(t, stderr, test.want, test.args)
	}
	for _, help := range [][]string{{}, {"check"}, {"drift", "--help"}} {
		code, stdout, _ := invoke(t, "", help...)
		assert.Zero(t, code, help)
		assert.Contains(t, stdout, "Usage:", help)
	}
}
