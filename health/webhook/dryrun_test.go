package webhook

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health/kube"
)

func TestPluralComesFromAnyServerThatServesKind(t *testing.T) {
	w := &webhookWatch{probes: []*probe{{}, {}}}
	assert.Empty(t, w.plural())
	w.probes[1].kind = &kube.ResourceKind{
		Resource: schema.GroupVersionResource{Resource: "ipaddresspools"}}
	assert.Equal(t, "ipaddresspools", w.plural())
}
