package supervisor

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/sirupsen/logrus"
	"golang.org/x/crypto/scrypt"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// PasswordFile has the node's own password. As with K3s, an uninstall keeps it.
const PasswordFile = "/etc/rancher/node/password"

// errVerify reports that a password does not match the stored hash.
var errVerify = errors.New("unable to verify password for node")

// PasswordSecret returns the name of the Secret in kube-system that has a node's password hash.
func PasswordSecret(node string) string { return strings.ToLower(node + ".node-password.k3s") }

// checkNode checks the node name and password in the headers. The first password of a name is
// stored in a Secret. Any other password is rejected with 403.
func (s *Server) checkNode(w http.ResponseWriter, r *http.Request, who identity) (string, bool) {
	node := strings.ToLower(r.Header.Get("k3s-Node-Name"))
	password := r.Header.Get("k3s-Node-Password")
	if node == "" || password == "" {
		sendError(w, http.StatusBadRequest, "node name or password not set")
		return "", false
	}
	if owner, isNode := strings.CutPrefix(who.name, "system:node:"); isNode && owner != node {
		sendError(w, http.StatusBadRequest, "header node name does not match auth node name")
		return "", false
	}
	core := s.core.Load()
	if core == nil {
		return node, s.checkLocal(w, node, password)
	}
	err := ensurePassword(r.Context(), *core, node, password)
	switch {
	case errors.Is(err, errVerify):
		sendError(w, http.StatusForbidden, err.Error())
	case err != nil:
		sendError(w, http.StatusInternalServerError, err.Error())
	}
	return node, err == nil
}

// checkLocal checks the password of this server's own kubelet while the API server is not up. It
// rejects all other nodes with 503.
func (s *Server) checkLocal(w http.ResponseWriter, node, password string) bool {
	if node != s.LocalNode {
		sendError(w, http.StatusServiceUnavailable, "runtime core not ready")
		return false
	}
	own, err := os.ReadFile(PasswordFile)
	if err != nil {
		sendError(w, http.StatusInternalServerError, "unable to read node password file")
		return false
	}
	if subtle.ConstantTimeCompare([]byte(strings.TrimSpace(string(own))), []byte(password)) != 1 {
		sendError(w, http.StatusForbidden, "unable to verify local node password")
		return false
	}
	return true
}

// EnsureLocal stores this server's own password once the API server is up. Before that, checkLocal
// has admitted its kubelet. As in K3s, a mismatch is only logged, because the node has joined
// already.
func (s *Server) EnsureLocal(ctx context.Context, core kubernetes.Interface) {
	own, err := os.ReadFile(PasswordFile)
	if err == nil {
		err = ensurePassword(ctx, core, s.LocalNode, strings.TrimSpace(string(own)))
	}
	if err != nil {
		logrus.Errorf("Deferred node password secret validation failed: %v", err)
	}
}

func ensurePassword(ctx context.Context, core kubernetes.Interface, node, password string) error {
	secrets := core.CoreV1().Secrets(metav1.NamespaceSystem)
	name := PasswordSecret(node)
	found, err := secrets.Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		return verifyHash(string(found.Data["hash"]), node, password)
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	hash, err := newHash(password)
	if err != nil {
		return err
	}
	immutable := true
	_, err = secrets.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem},
		Immutable:  &immutable,
		Type:       "k3s.cattle.io/node-password",
		Data:       map[string][]byte{"hash": []byte(hash)},
	}, metav1.CreateOptions{})
	return err
}

// newHash returns the hash of a password in K3s's form, $1:<salt>:15:8:1:<base64>: scrypt with
// N=2^15, r=8, p=1 (k3s-io/k3s pkg/authenticator/hash).
func newHash(password string) (string, error) {
	salt := make([]byte, 8)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	return hashWith(hex.EncodeToString(salt), password)
}

func hashWith(salt, password string) (string, error) {
	key, err := scrypt.Key([]byte(password), []byte(salt), 1<<15, 8, 1, 64)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$1:%s:15:8:1:%s", salt, base64.RawStdEncoding.EncodeToString(key)), nil
}

func verifyHash(stored, node, password string) error {
	parts := strings.Split(stored, ":")
	if len(parts) != 6 {
		return fmt.Errorf("unable to locate hash data for node secret %q", PasswordSecret(node))
	}
	hash, err := hashWith(parts[1], password)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare([]byte(hash), []byte(stored)) != 1 {
		return fmt.Errorf("%w %q: hash does not match", errVerify, node)
	}
	return nil
}
