package vault

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// HandoverSecret is the Secret in the server's namespace that holds the keys until Pulumi's state
// contains them.
const HandoverSecret = "strata-vault-init"

// InSecret implements Handover with a Secret in the server's namespace.
type InSecret struct {
	Client    kubernetes.Interface
	Namespace string
}

// Load implements Handover.
func (s InSecret) Load(ctx context.Context) (*Keys, error) {
	secret, err := s.Client.CoreV1().Secrets(s.Namespace).Get(ctx, HandoverSecret,
		metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // no keys are a valid answer
	}
	if err != nil {
		return nil, err
	}
	keys, err := ParseKeys(string(secret.Data["keys"]))
	return &keys, err
}

// Store implements Handover. It overwrites the keys of an earlier Vault, which are useless now.
func (s InSecret) Store(ctx context.Context, keys Keys) error {
	text, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: HandoverSecret, Namespace: s.Namespace},
		Data:       map[string][]byte{"keys": text},
	}
	secrets := s.Client.CoreV1().Secrets(s.Namespace)
	_, err = secrets.Create(ctx, secret, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = secrets.Update(ctx, secret, metav1.UpdateOptions{})
	}
	return err
}

// Clear implements Handover.
func (s InSecret) Clear(ctx context.Context) error {
	err := s.Client.CoreV1().Secrets(s.Namespace).Delete(ctx, HandoverSecret,
		metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
