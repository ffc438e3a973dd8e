package datastore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func TestTokenRotationReencryptsClusterKeys(t *testing.T) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{startEtcd(t)}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	e := &Etcd{}
	e.client.Store(client)
	material := map[string][]byte{"server-ca.crt": []byte("the CA")}
	_, err = e.Claim(t.Context(), "former", material)
	require.NoError(t, err)

	require.NoError(t, e.Rotate(t.Context(), "former", "new"))
	require.NoError(t, e.Rotate(t.Context(), "former", "new"), "a second time there is nothing to do")
	kept, err := e.Claim(t.Context(), "new", nil)
	require.NoError(t, err)
	assert.Equal(t, material, kept)
	_, err = e.Claim(t.Context(), "former", material)
	require.EqualError(t, err, "bootstrap data already found and encrypted with different token")
}
