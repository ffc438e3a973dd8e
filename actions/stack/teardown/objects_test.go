package teardown

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNamePatternMatchesOnlyItsNamespaceAndSuffix(t *testing.T) {
	objects := Objects{"ConfigMap": {"apps/shop-files-[0-9a-f][0-9a-f]"}}
	assert.True(t, objects.Has("ConfigMap", "apps/shop-files-1f"))
	assert.False(t, objects.Has("ConfigMap", "apps/shop-files-own"))
	assert.False(t, objects.Has("ConfigMap", "other/shop-files-1f"))
	assert.Empty(t, objects.left(objects))
}
