package datastore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// bootstrapPrefix is of the key under which K3s keeps the cluster's key material; the key is named after the token that encrypts it.
const bootstrapPrefix = "/bootstrap/"

// Claim marks the data as those of a cluster with the password, or fails where they are another's (k3s-io/k3s pkg/cluster/encrypt.go,
// storageKey; pkg/cluster/storage.go, getBootstrapKeyFromStorage). What K3s keeps there the lab keeps on disk only.
func (e *Etcd) Claim(ctx context.Context, password string) error {
	sum := sha256.Sum256([]byte(password))
	key := bootstrapPrefix + hex.EncodeToString(sum[:])[:12]
	client := e.client.Load()
	found, err := client.Get(ctx, bootstrapPrefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return err
	}
	for _, one := range found.Kvs {
		if string(one.Key) == key {
			return nil
		}
	}
	if len(found.Kvs) > 0 {
		return errors.New("bootstrap data already found and encrypted with different token")
	}
	_, err = client.Put(ctx, key, "stand-in")
	return err
}
