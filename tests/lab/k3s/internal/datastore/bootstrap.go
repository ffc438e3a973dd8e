package datastore

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // as K3s does
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// bootstrapPrefix is the prefix of the etcd key under which K3s stores the cluster's CAs and keys,
// encrypted. The rest of the key is a hash of the password that encrypts them.
const bootstrapPrefix = "/bootstrap/"

// Claim stores material, the CAs and keys that all servers share, in etcd. It encrypts them with
// password. If etcd already has them, Claim returns the stored ones instead. It fails if another
// password has encrypted them (k3s-io/k3s pkg/cluster/encrypt.go, storageKey;
// pkg/cluster/storage.go, getBootstrapKeyFromStorage).
func (e *Etcd) Claim(ctx context.Context, password string, material map[string][]byte) (map[string][]byte, error) {
	key := keyOf(password)
	client := e.client.Load()
	found, err := client.Get(ctx, bootstrapPrefix, clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	for _, one := range found.Kvs {
		if string(one.Key) == key {
			return open(password, one.Value)
		}
	}
	if len(found.Kvs) > 0 {
		return nil, errors.New("bootstrap data already found and encrypted with different token")
	}
	sealed, err := seal(password, material)
	if err != nil {
		return nil, err
	}
	_, err = client.Put(ctx, key, string(sealed))
	return material, err
}

// Rotate encrypts the stored CAs and keys with a new password, stores them under the new password's
// key, and deletes the former key (k3s-io/k3s pkg/cluster/storage.go, RotateBootstrapToken,
// doMigrateToken).
func (e *Etcd) Rotate(ctx context.Context, former, password string) error {
	client := e.client.Load()
	found, err := client.Get(ctx, keyOf(former))
	if err != nil || len(found.Kvs) == 0 || former == password {
		return err
	}
	material, err := open(former, found.Kvs[0].Value)
	if err != nil {
		return err
	}
	sealed, err := seal(password, material)
	if err != nil {
		return err
	}
	if _, err := client.Put(ctx, keyOf(password), string(sealed)); err != nil {
		return err
	}
	_, err = client.Delete(ctx, keyOf(former))
	return err
}

// keyOf returns the etcd key for the data that a password encrypts.
func keyOf(password string) string {
	sum := sha256.Sum256([]byte(password))
	return bootstrapPrefix + hex.EncodeToString(sum[:])[:12]
}

// sealer returns the cipher for a password and a salt, as in k3s-io/k3s pkg/cluster/encrypt.go.
func sealer(password, salt string) (cipher.AEAD, error) {
	key, err := pbkdf2.Key(sha1.New, password, []byte(salt), 4096, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func seal(password string, material map[string][]byte) ([]byte, error) {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	salt := hex.EncodeToString(random)
	gcm, err := sealer(password, salt)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(material)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return []byte(salt + ":" + base64.StdEncoding.EncodeToString(gcm.Seal(nonce, nonce, text, nil))), nil
}

func open(password string, sealed []byte) (map[string][]byte, error) {
	salt, encoded, found := strings.Cut(string(sealed), ":")
	if !found {
		return nil, errors.New("invalid cipher text, not : delimited")
	}
	gcm, err := sealer(password, salt)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	text, err := gcm.Open(nil, data[:gcm.NonceSize()], data[gcm.NonceSize():], nil)
	if err != nil {
		return nil, err
	}
	var material map[string][]byte
	return material, json.Unmarshal(text, &material)
}
