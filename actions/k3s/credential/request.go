package credential

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/verb"
	"strata/internal/k3shost"
	"strata/internal/ssh/remote"
)

// Provide issues the stack's client certificates and prints them, or prints its previous output if
// that still fits the request. The output is secret. The SSH private key is in STRATA_SSH_KEY.
var Provide = verb.New(func(ctx context.Context, call verb.Call, request Request) error {
	previous, err := Parse(call.PreviousOutput())
	if err != nil {
		return call.Wrong(fmt.Errorf("previous output: %w", err))
	}
	hosts := &SSH{Key: call.SSHKey(), Owner: request.Owner}
	issuer := Issuer{Hosts: hosts, Now: time.Now, Log: call.Stderr}
	issued, err := issuer.Issue(ctx, request, previous)
	if err != nil {
		return fmt.Errorf("layer k3s: certificate of the stack: %w", err)
	}
	return call.PrintJSON(issued)
})

// renewals is the number of renewal periods in a certificate's lifetime. A certificate is renewed
// after a third of its lifetime, so two renewals may fail or be forgotten.
const renewals = 3

// Request is the input of Provide.
type Request struct {
	// Timeout bounds the whole command.
	Timeout metav1.Duration `json:"timeout"`
	// User is the common name in the certificate.
	User string `json:"user"`
	// Lifetime is the requested validity of each certificate, from its issue on.
	Lifetime metav1.Duration `json:"lifetime"`
	// Generation is the number of the renewal period. A new number renews the certificate.
	Generation int64 `json:"generation"`
	// Servers lists the cluster's servers. The first one that answers is used.
	Servers []remote.Target `json:"servers"`
	// Owner must own the servers. Nil skips the check.
	Owner *k3shost.Owner `json:"owner,omitempty"`
	// Reader is the ReaderDigest, so that changed rules run the command again.
	Reader string `json:"reader,omitempty"`
}

// Generation returns the number of the renewal period at a time: a third of the lifetime, counted
// from 1970. It depends on the clock only, so that a preview knows it.
func Generation(at time.Time, lifetime time.Duration) int64 {
	return at.UnixNano() / int64(lifetime/renewals)
}

// prefix starts the name of every stack's user. Kubernetes and K3s have no users with this prefix.
const prefix = "strata:"

// User returns the user name of a stack. Each generation has its own name; the name of generation 0
// has no number.
func User(stack string, generation int) string {
	if generation == 0 {
		return prefix + stack
	}
	return prefix + stack + ":" + strconv.Itoa(generation)
}

// splitUser splits a name that User returned. A reader's ":reader" counts as a part of the stack's
// name, which itself has no colon. ok is false for other users.
func splitUser(user string) (stack string, generation int, ok bool) {
	stack, ok = strings.CutPrefix(user, prefix)
	if at := strings.LastIndexByte(stack, ':'); at >= 0 {
		if number, err := strconv.Atoi(stack[at+1:]); err == nil && number > 0 {
			stack, generation = stack[:at], number
		}
	}
	return stack, generation, ok && stack != ""
}

// isFormer reports whether user is an earlier generation of current's stack.
func isFormer(user, current string) bool {
	stack, generation, ok := splitUser(user)
	same, now, known := splitUser(current)
	return ok && known && stack == same && generation < now
}

// UserOf returns the stack's user in a kubeconfig's certificate; "" for any other user, such as
// K3s's own.
func UserOf(kubeconfig []byte) string {
	config, err := read(kubeconfig)
	if err != nil {
		return ""
	}
	certificate, err := parse(config.CertData)
	if err != nil || certificate == nil ||
		!strings.HasPrefix(certificate.Subject.CommonName, prefix) {
		return ""
	}
	return certificate.Subject.CommonName
}

func (r Request) validate() error {
	switch {
	case r.User == "":
		return errors.New("user: empty")
	case len(r.Servers) == 0:
		return errors.New("servers: empty")
	case r.Lifetime.Duration <= 0:
		return errors.New("lifetime: expected more than 0")
	}
	return nil
}

// Issued is the output of Provide. It is secret, because it contains private keys.
type Issued struct {
	// User, Lifetime and Generation are copied from the request.
	User       string          `json:"user"`
	Lifetime   metav1.Duration `json:"lifetime"`
	Generation int64           `json:"generation"`
	// Ends is the time at which the certificate in Kubeconfig expires.
	Ends time.Time `json:"ends"`
	// Kubeconfig contains the certificate, its key and the cluster's CA. Its server is LocalServer.
	Kubeconfig string `json:"kubeconfig"`
	// Reader is the kubeconfig of the read-only user.
	Reader string `json:"reader"`
}

// Parse parses an output of Provide. It returns nil for an empty text.
func Parse(text string) (*Issued, error) {
	if text == "" {
		return nil, nil
	}
	issued := &Issued{}
	if err := json.Unmarshal([]byte(text), issued); err != nil {
		// The error does not quote the text, which is secret.
		return nil, errors.New("expected what strata credential prints, found something else")
	}
	return issued, nil
}

// answers reports whether the issued certificates still fit the request and the cluster's CA.
func (i *Issued) answers(r Request, ca []byte, now time.Time) bool {
	if i == nil || i.User != r.User || i.Lifetime != r.Lifetime || i.Generation != r.Generation ||
		!now.Before(i.Ends) {
		return false
	}
	known, err := read([]byte(i.Kubeconfig))
	return err == nil && string(known.CAData) == string(ca)
}

// Usable returns an error if the certificate of a kubeconfig has expired, or the kubeconfig cannot
// be parsed. A kubeconfig without a certificate does not expire.
func Usable(kubeconfig []byte, now time.Time) error {
	config, err := read(kubeconfig)
	if err != nil {
		return err
	}
	ends, err := endOf(config.CertData)
	if err == nil && !ends.IsZero() && now.After(ends) {
		return fmt.Errorf("its certificate ended at %s", ends.Format(time.RFC3339))
	}
	return err
}
