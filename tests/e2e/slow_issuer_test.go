package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

// slowIssuer is an external issuer for cert-manager, with its own API group. It has no controller:
// the story signs requests itself, after a delay.
type slowIssuer struct {
	client rest.Interface
	root   *x509.Certificate
	key    *ecdsa.PrivateKey
	mutex  sync.Mutex
	when   map[string]time.Time
}

const certificatesPath = "/apis/cert-manager.io/v1/namespaces/apps/"

func newSlowIssuer(t *testing.T, w *workloadStory) *slowIssuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	required(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "slow"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	required(t, err)
	root, err := x509.ParseCertificate(der)
	required(t, err)
	issuer := &slowIssuer{client: w.client().RESTClient(), root: root, key: key,
		when: map[string]time.Time{}}
	issuer.define(t)
	return issuer
}

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// define creates the CRD of the issuer's kind. Otherwise cert-manager's webhook would let no user
// approve requests for this signer.
func (i *slowIssuer) define(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	_, err := i.client.Post().AbsPath(definitionsPath).Body([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"metadata":{"name":"slows.issuers.strata.test"},"spec":{"group":"issuers.strata.test","scope":"Namespaced",
		"names":{"kind":"Slow","listKind":"SlowList","plural":"slows","singular":"slow"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)).DoRaw(ctx)
	if !errors.IsAlreadyExists(err) {
		required(t, err)
	}
	comesTrue(t, func(c require.TestingT) {
		assert.NoError(c, i.client.Get().AbsPath("/apis/issuers.strata.test/v1/slows").Do(
			ctx).Error())
	})
}

// request creates a Certificate, and signs its request after issuerDelay.
func (i *slowIssuer) request(t *testing.T, name string) {
	body := fmt.Sprintf(`{"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{"name":%q},"spec":{"secretName":%q,
		"dnsNames":["%s.test"],"issuerRef":{"name":"slow","kind":"Slow","group":"issuers.strata.test"}}}`, name, name, name)
	_ = i.client.Delete().AbsPath(certificatesPath + "certificates/" +
		name).Do(context.Background())
	_, err := i.client.Post().AbsPath(certificatesPath +
		"certificates").Body([]byte(body)).DoRaw(context.Background())
	required(t, err)
	due := time.After(issuerDelay)
	go func() {
		<-due
		i.sign(t, name)
	}()
}

// signing has the fields of a CertificateRequest that the issuer reads.
type signing struct {
	Metadata struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Request []byte `json:"request"`
	} `json:"spec"`
}

// sign approves and signs the Certificate's request.
func (i *slowIssuer) sign(t *testing.T, name string) {
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, silence, true,
		func(context.Context) (bool, error) {
			text, err := i.client.Get().AbsPath(certificatesPath +
				"certificaterequests").DoRaw(context.Background())
			required(t, err)
			var list struct{ Items []signing }
			required(t, json.Unmarshal(text, &list))
			for _, one := range list.Items {
				if one.Metadata.Annotations["cert-manager.io/certificate-name"] == name {
					i.answer(t, one)
					return true, nil
				}
			}
			return false, nil
		})
	if t.Context().Err() == nil {
		assert.NoError(t, err, "no CertificateRequest of %s", name)
	}
}

func (i *slowIssuer) answer(t *testing.T, asked signing) {
	block, _ := pem.Decode(asked.Spec.Request)
	request, err := x509.ParseCertificateRequest(block.Bytes)
	required(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: request.Subject,
		DNSNames:  request.DNSNames,
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(12 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, i.root, request.PublicKey, i.key)
	required(t, err)
	encoded := func(der []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	}
	now := time.Now().UTC().Format(time.RFC3339)
	condition := func(kind string) map[string]any {
		return map[string]any{"type": kind, "status": "True", "reason": "Issued",
			"message": "by the story", "lastTransitionTime": now}
	}
	for _, status := range []map[string]any{
		{"conditions": []any{condition("Approved")}},
		{"conditions": []any{condition("Approved"), condition("Ready")},
			"certificate": encoded(der), "ca": encoded(i.root.Raw)},
	} {
		patch, err := json.Marshal(map[string]any{"status": status})
		required(t, err)
		_, err = i.client.Patch("application/merge-patch+json").AbsPath(certificatesPath +
			"certificaterequests/" + asked.Metadata.Name + "/status").
			Body(bytes.Clone(patch)).DoRaw(context.Background())
		required(t, err)
	}
}

// issued waits until the Certificate's Secret exists, and notes the time.
func (i *slowIssuer) issued(t *testing.T, name string) {
	t.Helper()
	comesTrue(t, func(c require.TestingT) {
		assert.False(c, i.at(name).IsZero(), "no Secret %s", name)
	})
}

// at returns the time at which the Secret was first seen; zero if it does not exist yet.
func (i *slowIssuer) at(name string) time.Time {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if i.when[name].IsZero() {
		if _, err := i.client.Get().AbsPath("/api/v1/namespaces/apps/secrets/" +
			name).DoRaw(context.Background()); err == nil {
			i.when[name] = time.Now()
		}
	}
	return i.when[name]
}
