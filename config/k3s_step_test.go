package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/config"
)

func TestK3sUpgradeStepIsAtMostOneMinor(t *testing.T) {
	tests := []struct {
		name, from, to string
		// refused is a part of the refusal; empty if the step is allowed.
		refused string
	}{
		{"the same", "v1.34.2+k3s1", "v1.34.2+k3s1", ""},
		{"a patch", "v1.34.2+k3s1", "v1.34.10+k3s1", ""},
		{"several patches", "v1.34.2+k3s1", "v1.34.99+k3s1", ""},
		{"a later revision of K3s", "v1.34.2+k3s1", "v1.34.2+k3s2", ""},
		{"the next minor", "v1.34.9+k3s1", "v1.35.0+k3s1", ""},
		{"a lower revision of a later patch", "v1.34.2+k3s3", "v1.34.3+k3s1", ""},
		{"a skipped minor", "v1.34.2+k3s1", "v1.36.0+k3s1",
			"v1.36.0+k3s1 skips a minor version after v1.34.2+k3s1; set strata:k3s.version to a v1.35 release first"},
		{"another major", "v1.34.2+k3s1", "v2.34.2+k3s1", "skips a minor version"},
		{"an older patch", "v1.34.10+k3s1", "v1.34.9+k3s1",
			"v1.34.9+k3s1 is older than v1.34.10+k3s1, and K3s cannot be downgraded"},
		{"an older minor with a later patch", "v1.35.0+k3s1", "v1.34.9+k3s1",
			"cannot be downgraded"},
		{"an older revision", "v1.34.2+k3s2", "v1.34.2+k3s1", "cannot be downgraded"},
		{"a malformed version", "v1.34.2", "v1.34.3+k3s1",
			`expected the form vX.Y.Z+k3sN, found "v1.34.2"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := config.CheckK3sStep(test.from, test.to)
			if test.refused == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.refused)
		})
	}
}
