package issuer

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"strata/health"
	"strata/health/kube"
	"strata/internal/files/digest"
)

// caFacts describes the CA that an issuer signs with.
type caFacts struct {
	// Unread is true if the user may not read Secrets.
	Unread bool `json:"unread,omitempty"`
	// Missing is true if the Secret does not exist or has no certificate.
	Missing bool `json:"missing,omitempty"`
	// Expected and Found are the fingerprints of the recorded CA and of the present one. Made is
	// the time from which the present CA is valid.
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
	Made     string `json:"made,omitempty"`
}

// shown is the number of a fingerprint's digits in messages. That many are enough for
// certManager.acceptedCA.
const shown = 16

// judgeCA judges whether the issuer signs with the CA that the stack has recorded, or with the
// accepted new one.
func judgeCA(spec Spec, f caFacts) health.Verdict {
	v := health.Verdict{Check: "CA of " + issuerCheck(spec), State: health.Stuck}
	const ways = "docs/troubleshooting.md, \"Another CA\", has both ways on"
	switch {
	case f.Unread:
		return health.Verdict{Check: v.Check, State: health.Skipped,
			Message: "not read: needs get secrets"}
	case f.Missing:
		v.State = health.Waiting
		v.Message = "Secret " + spec.CA.Secret + " does not exist, or has no certificate"
		v.Cause = "it was deleted: cert-manager makes another CA, which no client trusts"
		v.Hint = "wait until cert-manager has made it; " + ways
	case f.Found != f.Expected:
		v.Message = fmt.Sprintf("is another CA than the stack has recorded: expected fingerprint "+
			"%.*s, found %.*s, made at %s", shown, f.Expected, shown, f.Found, f.Made)
		v.Cause = "its Secret " + spec.CA.Secret +
			" was deleted or changed; whoever trusts the output caCertificate refuses what the CA that is there signs"
		v.Hint = fmt.Sprintf("put the Secret back from a copy, or take the CA that is there: "+
			"pulumi config set --path strata:certManager.acceptedCA %.*s, pulumi up; %s",
			shown, f.Found, ways)
	case !strings.HasPrefix(f.Found, spec.CA.Accepted):
		v.Message = fmt.Sprintf("is not the one that strata:certManager.acceptedCA names: "+
			"expected %s, found %.*s, made at %s", spec.CA.Accepted, shown, f.Found, f.Made)
		v.Cause = "the CA was replaced once more"
		v.Hint = fmt.Sprintf("set strata:certManager.acceptedCA to %.*s where that is the one to "+
			"take, or remove it; pulumi up", shown, f.Found)
	default:
		return health.Verdict{Check: v.Check, State: health.Ready}
	}
	return v
}

// ca reads the issuer's present CA; nil if the Spec requires none.
func (w *issuerWatch) ca(ctx context.Context, s *kube.APIServer) (*caFacts, error) {
	if w.recorded == nil {
		return nil, nil
	}
	if w.reader {
		return &caFacts{Unread: true}, nil
	}
	namespace, name, _ := strings.Cut(w.spec.CA.Secret, "/")
	secret, err := kube.Get[corev1.Secret](ctx, s, kube.SecretResource, namespace, name)
	if err != nil {
		return nil, err
	}
	return caFactsOf(secret, w.recorded), nil
}

func caFactsOf(secret *corev1.Secret, recorded *x509.Certificate) *caFacts {
	if secret == nil {
		return &caFacts{Missing: true}
	}
	found, err := certificateIn(secret.Data[corev1.TLSCertKey])
	if err != nil {
		return &caFacts{Missing: true}
	}
	return &caFacts{Expected: fingerprint(recorded), Found: fingerprint(found),
		Made: found.NotBefore.UTC().Format(time.RFC3339)}
}

// certificateIn parses the first certificate of a PEM text.
func certificateIn(text []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("expected a certificate in PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}

// fingerprint returns the sha256 sum that `openssl x509 -noout -fingerprint -sha256` prints,
// without colons and in lower case.
func fingerprint(certificate *x509.Certificate) string { return digest.Sum(certificate.Raw) }
