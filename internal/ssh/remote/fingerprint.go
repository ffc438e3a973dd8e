package remote

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// fingerprintPin is a pin reduced to `TYPE SHA256:SUM`. It implements ssh.PublicKey, but can only
// be compared.
type fingerprintPin string

// Type returns the key's type.
func (p fingerprintPin) Type() string { return string(p[:strings.IndexByte(string(p), ' ')]) }

// Marshal returns nothing, because the key itself is unknown.
func (fingerprintPin) Marshal() []byte { return nil }

// Verify always fails, because the key itself is unknown.
func (fingerprintPin) Verify([]byte, *ssh.Signature) error {
	return errors.New("only its fingerprint is known")
}

// parseFingerprint parses a pin as PinsAsFingerprints writes it; false if it has another form.
func parseFingerprint(pin string) (fingerprintPin, bool) {
	kind, sum, _ := strings.Cut(strings.TrimSpace(pin), " ")
	return fingerprintPin(kind + " " + sum), kind != "" && strings.HasPrefix(sum, "SHA256:") &&
		!strings.Contains(sum, " ")
}

// PinsAsFingerprints returns the target with a fingerprint in place of each pinned key. A
// fingerprint is shorter: an RSA key is ten times as long.
func (t Target) PinsAsFingerprints() Target {
	t.HostKey = shortPin(t.HostKey)
	t.Jump = slices.Clone(t.Jump)
	for i := range t.Jump {
		t.Jump[i].HostKey = shortPin(t.Jump[i].HostKey)
	}
	return t
}

// shortPin returns a pin as a fingerprint. It returns an invalid pin unchanged, so that the login
// reports it.
func shortPin(pin string) string {
	lines := strings.Split(strings.TrimSpace(pin), "\n")
	for i, line := range lines {
		if key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line)); err == nil {
			lines[i] = Fingerprint(key)
		}
	}
	return strings.Join(lines, "\n")
}
