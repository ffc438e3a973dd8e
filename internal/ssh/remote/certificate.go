package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// addCertificates returns keys with their certificates. Each certificate comes before its key, as
// ssh offers them.
func (m Means) addCertificates(keys []ssh.Signer) ([]ssh.Signer, error) {
	if len(m.Certificates) == 0 {
		return keys, nil
	}
	certificates, err := m.readCertificates()
	if err != nil {
		return nil, err
	}
	var all []ssh.Signer
	for _, key := range keys {
		for _, certificate := range certificates {
			if !bytes.Equal(certificate.Key.Marshal(), key.PublicKey().Marshal()) {
				continue
			}
			signer, err := ssh.NewCertSigner(certificate, key)
			if err != nil {
				return nil, err
			}
			all = append(all, signer)
		}
		all = append(all, key)
	}
	return all, nil
}

// readCertificates reads the certificates, and ignores missing files.
func (m Means) readCertificates() ([]*ssh.Certificate, error) {
	var found []*ssh.Certificate
	for _, path := range m.Certificates {
		if inside, ok := strings.CutPrefix(path, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return nil, fmt.Errorf("certificate %s: %w", path, err)
			}
			path = filepath.Join(home, inside)
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("certificate: %w", err)
		}
		key, _, _, _, err := ssh.ParseAuthorizedKey(text)
		certificate, ok := key.(*ssh.Certificate)
		if err != nil || !ok {
			return nil, fmt.Errorf(
				"certificate %s: expected what ssh-keygen -s makes (TYPE-cert-v01@openssh.com base64)", path)
		}
		found = append(found, certificate)
	}
	return found, nil
}

// selectKeys returns those of an agent's keys that Means allow, the ones in Identities first.
func (m Means) selectKeys(keys []ssh.Signer) []ssh.Signer {
	var first, others []ssh.Signer
	for _, key := range keys {
		public := key.PublicKey()
		if certificate, ok := public.(*ssh.Certificate); ok {
			public = certificate.Key
		}
		if slices.Contains(m.Identities, Fingerprint(public)) {
			first = append(first, key)
		} else {
			others = append(others, key)
		}
	}
	if m.IdentitiesOnly {
		return first
	}
	return append(first, others...)
}
