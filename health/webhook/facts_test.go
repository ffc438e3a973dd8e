package webhook

import (
	"testing"

	"github.com/stretchr/testify/assert"
	admissionv1 "k8s.io/api/admissionregistration/v1"
)

func TestWebhookCoversCreationOnlyIfRuleMatches(t *testing.T) {
	rule := func(operation, group, version, resource string) admissionv1.RuleWithOperations {
		return admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.OperationType(operation)},
			Rule: admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{version},
				Resources: []string{resource}},
		}
	}
	covers := func(r admissionv1.RuleWithOperations) bool {
		return coversCreate(r, "metallb.io", "v1beta1", "ipaddresspools")
	}
	assert.True(t, covers(rule("CREATE", "metallb.io", "v1beta1", "ipaddresspools")))
	assert.True(t, covers(rule("*", "*", "*", "*")))
	assert.True(t, covers(rule("CREATE", "metallb.io", "v1beta1", "*/*")))
	assert.False(t, covers(rule("DELETE", "metallb.io", "v1beta1", "ipaddresspools")))
	assert.False(t, covers(rule("CREATE", "other.io", "v1beta1", "ipaddresspools")))
	assert.False(t, covers(rule("CREATE", "metallb.io", "v1", "ipaddresspools")))
	assert.False(t, covers(rule("CREATE", "metallb.io", "v1beta1", "bgppeers")))
	assert.True(t, coversCreate(rule("CREATE", "metallb.io", "v1beta1", "bgppeers"), "metallb.io",
		"v1beta1", ""), "an unknown resource is left to the dry run")
}

func TestCABundleIsComparedWithSecret(t *testing.T) {
	assert.Equal(t, "empty", bundleState([]byte(" \n"), []byte("ca")))
	assert.Equal(t, "set", bundleState([]byte("ca"), nil))
	assert.Equal(t, "equal", bundleState([]byte("ca\n"), []byte("ca")))
	assert.Equal(t, "different", bundleState([]byte("ca"), []byte("cb")))
}

func TestHookTargetIsServiceAndPort(t *testing.T) {
	port := int32(8443)
	assert.Empty(t, hookTarget(admissionv1.WebhookClientConfig{}))
	assert.Equal(t, "n/s:443", hookTarget(
		admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: "n",
			Name: "s"}}))
	assert.Equal(t, "n/s:8443", hookTarget(
		admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: "n",
			Name: "s", Port: &port}}))
}
