package credential

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"strata/internal/ssh/remote"
)

// today is the time that every clock shows without a skew.
var today = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// world fakes a cluster: servers with K3s's own certificates, which expire, and the signer of
// client certificates.
type world struct {
	t      *testing.T
	client *fake.Clientset
	key    *ecdsa.PrivateKey
	log    bytes.Buffer

	mutex sync.Mutex
	// skew is the difference between each server's clock and today. ahead is the same for this
	// machine's clock.
	skew  map[string]time.Duration
	ahead time.Duration
	// slow is the number of first attempts that time out. limits are the timeouts of all attempts.
	slow   int
	limits []time.Duration
	// ends holds the expiry of K3s's own certificate by server. A server that is missing does not
	// answer.
	ends map[string]time.Time
	// longest bounds the lifetime of signed certificates. refuses makes the signer refuse, and
	// forbidden makes RBAC refuse.
	longest            time.Duration
	refuses, forbidden bool
	// users are the names in the certificate requests.
	users []string
	// limit is the timeout of the whole command.
	limit time.Duration
	// stubborn is a server that renews no certificate when it restarts.
	stubborn         string
	restarted, asked []string
	ca               string
}

func newWorld(t *testing.T, servers ...string) *world {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	w := &world{t: t, client: fake.NewClientset(), key: key, ends: map[string]time.Time{},
		longest: 365 * 24 * time.Hour, limit: time.Minute, ca: "the cluster's CA",
		users: []string{"strata:dev", "strata:dev:reader"}}
	for _, server := range servers {
		w.ends[server] = today.Add(200 * 24 * time.Hour)
	}
	w.client.PrependReactor("create", "certificatesigningrequests",
		func(action clienttesting.Action) (bool, runtime.Object, error) {
			made := action.(clienttesting.CreateAction).GetObject().(*certificatesv1.CertificateSigningRequest)
			made.Name = made.GenerateName + "1" // the fake server generates no names
			return false, nil, nil
		})
	w.client.PrependReactor("update", "certificatesigningrequests", w.sign)
	w.client.PrependReactor("create", "selfsubjectaccessreviews",
		func(clienttesting.Action) (bool, runtime.Object, error) {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			_, err := w.client.Tracker().Get(
				rbacv1.SchemeGroupVersion.WithResource("clusterrolebindings"), "", w.users[0])
			return true, &authorizationv1.SelfSubjectAccessReview{
				Status: authorizationv1.SubjectAccessReviewStatus{Allowed: err == nil &&
					!w.forbidden}}, nil
		})
	return w
}

// sign stands in for Kubernetes' signer: it signs approved requests, for at most the permitted
// lifetime.
func (w *world) sign(action clienttesting.Action) (bool, runtime.Object, error) {
	approved := action.(clienttesting.UpdateAction).GetObject().(*certificatesv1.CertificateSigningRequest).DeepCopy()
	if w.refuses {
		approved.Status.Conditions = append(approved.Status.Conditions,
			certificatesv1.CertificateSigningRequestCondition{
				Type: certificatesv1.CertificateFailed, Reason: "SignerValidationFailure",
				Message: "no",
			})
	} else {
		block, _ := pem.Decode(approved.Spec.Request)
		asked, err := x509.ParseCertificateRequest(block.Bytes)
		require.NoError(w.t, err)
		assert.Contains(w.t, w.users, asked.Subject.CommonName)
		assert.Empty(w.t, asked.Subject.Organization, "system:masters is refused")
		life := min(w.longest, time.Duration(*approved.Spec.ExpirationSeconds)*time.Second)
		approved.Status.Certificate = w.certificate(asked.Subject.CommonName, today.Add(life),
			asked.PublicKey)
	}
	return true, approved, w.client.Tracker().Update(
		certificatesv1.SchemeGroupVersion.WithResource("certificatesigningrequests"), approved, "")
}

func (w *world) certificate(name string, ends time.Time, public any) []byte {
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: ends.Add(-400 * 24 * time.Hour), NotAfter: ends}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, w.key)
	require.NoError(w.t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// Admin implements Hosts.
func (w *world) Admin(_ context.Context, server remote.Target, limit time.Duration) (time.Time,
	[]byte, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.asked, w.limits = append(w.asked, server.Name), append(w.limits, limit)
	ends, answers := w.ends[server.Name]
	if !answers {
		return time.Time{}, nil, errors.New("no route to host")
	}
	if w.slow > 0 {
		w.slow--
		return time.Time{}, nil, fmt.Errorf("script on %s: %w", server, context.DeadlineExceeded)
	}
	text, err := kubeconfig("system:admin", []byte(w.ca),
		w.certificate("system:admin", ends, w.key.Public()), []byte("admin-key"))
	return today.Add(w.skew[server.Name]), text, err
}

// Restart implements Hosts.
func (w *world) Restart(_ context.Context, server remote.Target) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.restarted = append(w.restarted, server.Name)
	if server.Name != w.stubborn {
		w.ends[server.Name] = today.Add(365 * 24 * time.Hour)
	}
	return nil
}

// Client implements Hosts.
func (w *world) Client([]byte, remote.Target) (kubernetes.Interface, error) {
	return w.client, nil
}

// issue requests credentials as a stack of three servers does.
func (w *world) issue(previous *Issued, change ...func(*Request)) (*Issued, error) {
	r := Request{User: User("dev", 0), Lifetime: metav1.Duration{Duration: 365 * 24 * time.Hour},
		Generation: 7}
	for _, name := range []string{"server-1", "server-2", "server-3"} {
		r.Servers = append(r.Servers, remote.Target{Name: name, Address: name})
	}
	for _, one := range change {
		one(&r)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), w.limit)
	defer cancel()
	issuer := Issuer{Hosts: w, Now: func() time.Time { return today.Add(w.ahead) }, Log: &w.log}
	return issuer.Issue(ctx, r, previous)
}

func (w *world) mustIssue(previous *Issued, change ...func(*Request)) *Issued {
	w.t.Helper()
	issued, err := w.issue(previous, change...)
	require.NoError(w.t, err, w.log.String())
	return issued
}
