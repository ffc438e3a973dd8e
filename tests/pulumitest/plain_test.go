package pulumitest_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"

	"strata/tests/pulumitest"
)

func TestFindPlaintextSkipsSecretValues(t *testing.T) {
	hidden := resource.MakeSecret(resource.NewProperty("a token"))
	value := resource.NewProperty(resource.PropertyMap{
		"hidden": hidden,
		"list": resource.NewProperty([]resource.PropertyValue{hidden,
			resource.NewProperty("the token")}),
	})
	assert.Equal(t, []string{"in.list[1]"}, pulumitest.FindPlain("in", value, "token"))
	assert.True(t, pulumitest.Contains(resource.NewProperty([]resource.PropertyValue{hidden}),
		"token"))
	assert.False(t, pulumitest.Contains(value, "key"))
}
