package revision

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // K3s's choice
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"

	"strata/actions/k3s/token"
)

// rekey re-encrypts the cluster's keys with the last of the servers' tokens, so that K3s needs no
// earlier token. It fails if no token decrypts the keys, because then the snapshot is of another
// cluster.
func (a *addition) rekey(tokens []string) error {
	sealed, err := keyMaterial(a.keys)
	if err != nil {
		return err
	}
	wanted := tokens[len(tokens)-1]
	for i := len(tokens) - 1; i >= 0; i-- {
		text, found := sealed[token.Key(tokens[i])]
		switch {
		case !found:
			continue
		case tokens[i] == wanted:
			return nil
		}
		if text, err = open(tokens[i], text); err != nil {
			return fmt.Errorf("key material that token %d encrypts: %w", i, err)
		}
		if text, err = seal(wanted, text); err != nil {
			return err
		}
		return errors.Join(a.put(token.Key(wanted), text), a.remove(token.Key(tokens[i])))
	}
	return fmt.Errorf("it is not of this cluster: none of the stack's %d tokens opens its key material", len(tokens))
}

// keyMaterial returns the encrypted cluster keys in an etcd database, by their path. The path
// contains a hash of the token that encrypts them.
func keyMaterial(keys *bbolt.Bucket) (map[string][]byte, error) {
	sealed := map[string][]byte{}
	err := keys.ForEach(func(revision, value []byte) error {
		key := objectKey(value)
		switch {
		case !strings.HasPrefix(key, "/bootstrap/"):
		case len(revision) > revisionSize: // a deletion
			delete(sealed, key)
		default:
			sealed[key] = bytes.Clone(objectValue(value))
		}
		return nil
	})
	return sealed, err
}

// sealer returns K3s's cipher for a token. K3s stores the encrypted text as SALT:BASE64 (k3s-io/k3s
// pkg/cluster/encrypt.go).
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

func open(password string, sealed []byte) ([]byte, error) {
	salt, encoded, _ := strings.Cut(string(sealed), ":")
	gcm, err := sealer(password, salt)
	if err != nil {
		return nil, err
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(text) < gcm.NonceSize() {
		return nil, errors.New("expected SALT:BASE64, found something else")
	}
	return gcm.Open(nil, text[:gcm.NonceSize()], text[gcm.NonceSize():], nil)
}

func seal(password string, text []byte) ([]byte, error) {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // it never fails
	salt := hex.EncodeToString(random)
	gcm, err := sealer(password, salt)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, gcm.NonceSize())
	_, _ = rand.Read(nonce)
	return []byte(salt + ":" + base64.StdEncoding.EncodeToString(gcm.Seal(nonce, nonce, text,
		nil))), nil
}
