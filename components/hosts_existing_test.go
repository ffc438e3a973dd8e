package components

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/ssh/remote"
	"strata/tests/pulumitest"
)

// The state has the host key of the first contact, and known_hosts has revoked this key later.
func TestUpdateFailsIfPinnedHostKeyIsRevoked(t *testing.T) {
	const pin = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(pin))
	require.NoError(t, err)
	for revoked, want := range map[string]string{
		remote.Fingerprint(key): "is revoked", "ssh-ed25519 SHA256:another": "",
	} {
		recorder := &pulumitest.Recorder{Outputs: func(pulumitest.Resource) resource.PropertyMap {
			return resource.PropertyMap{"stdout": resource.NewProperty(pin)}
		}}
		err := pulumi.RunErr(func(ctx *pulumi.Context) error {
			hosts := &Hosts{}
			require.NoError(t, ctx.RegisterComponentResource("strata:test:Hosts", "hosts", hosts))
			at := remote.Target{Name: "server-1", Address: "10.10.0.11", Revoked: []string{revoked}}
			got, err := pinHostKey(ctx, hosts, "server-1-hostkey",
				firstContact{at: at, key: pulumi.String("")}, metav1.Duration{})
			ctx.Export("pin", got)
			return err
		}, pulumi.WithMocks("strata", "dev", recorder))
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
		require.Len(t, recorder.Resources(), 2)
		assert.Contains(t, recorder.Resources()[1].Text("stdin"), `"revoked":["`+revoked+`"]`)
	}
}
