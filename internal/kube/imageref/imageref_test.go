package imageref_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/internal/kube/imageref"
)

func TestImageNameIsCompletedWithDefaultRegistry(t *testing.T) {
	for name, whole := range map[string]string{
		"redis:8":                    "docker.io/library/redis:8",
		"docker.io/redis":            "docker.io/library/redis",
		"acme/shop:1":                "docker.io/acme/shop:1",
		"quay.io/a/b":                "quay.io/a/b",
		"localhost/strata/go-rest:1": "localhost/strata/go-rest:1",
		"registry:5000/a":            "registry:5000/a",
	} {
		assert.Equal(t, whole, imageref.Whole(name), name)
	}
}
