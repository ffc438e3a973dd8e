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

// Provide gives a stack client certificates of its own, and prints them. It keeps those of its
// previous output while they fit. The output is secret. The private key comes in STRATA_SSH_KEY.
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

// renewals divides a certificate's life: a certificate is renewed after a third of it, so that two
// renewals may fail or be forgotten.
const renewals = 3

// Request is the input of Provide.
type Request struct {
	// Timeout bounds the whole command.
	Timeout metav1.Duration `json:"timeout"`
	// User is the name in the certificate.
	User string `json:"user"`
	// Lifetime is the requested life of the certificate.
	Lifetime metav1.Duration `json:"lifetime"`
	// Generation is the number of the calendar's period. A new number renews the certificate.
	Generation int64 `json:"generation"`
	// Servers are the cluster's servers. The first one that can be asked is used.
	Servers []remote.Target `json:"servers"`
	// Owner must own the servers. Without an owner nothing is checked.
	Owner *k3shost.Owner `json:"owner,omitempty"`
	// Reader is the result of ReaderDigest.
	Reader string `json:"reader,omitempty"`
}

// Generation returns the number of the calendar's period at a time. It follows from the clock
// alone, so that a preview knows it and nothing changes between two of them.
func Generation(at time.Time, lifetime time.Duration) int64 {
	return at.UnixNano() / int64(lifetime/renewals)
}

// prefix begins the name of every stack's user. No user of Kubernetes or K3s has it.
const prefix = "strata:"

// User returns the name of a stack's user. Each generation is another user; the name of the first
// has no number.
func User(stack string, generation int) string {
	if generation == 0 {
		return prefix + stack
	}
	return prefix + stack + ":" + strconv.Itoa(generation)
}

// splitUser parses User's result. No stack's name has a colon. In a reader's name, ":reader"
// follows the stack's name and counts as a part of it. ok is false for other users.
func splitUser(user string) (stack string, generation int, ok bool) {
	stack, ok = strings.CutPrefix(user, prefix)
	if at := strings.LastIndexByte(stack, ':'); at >= 0 {
		if number, err := strconv.Atoi(stack[at+1:]); err == nil && number > 0 {
			stack, generation = stack[:at], number
		}
	}
	return stack, generation, ok && stack != ""
}

// isFormer reports whether a user is the same stack's of a lower generation.
func isFormer(user, current string) bool {
	stack, generation, ok := splitUser(user)
	same, now, known := splitUser(current)
	return ok && known && stack == same && generation < now
}

// UserOf returns the stack's user whom a kubeconfig logs in. It returns an empty text for any other
// user, such as K3s's own.
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

// Issued is the output of Provide. Secret: it has a private key.
type Issued struct {
	// User, Lifetime and Generation are those of the request.
	User       string          `json:"user"`
	Lifetime   metav1.Duration `json:"lifetime"`
	Generation int64           `json:"generation"`
	// Ends is the time at which the certificate ends.
	Ends time.Time `json:"ends"`
	// Kubeconfig has the certificate, its key and the CA of the API servers. Its server is
	// LocalServer.
	Kubeconfig string `json:"kubeconfig"`
	// Reader is the kubeconfig of the user that can only read.
	Reader string `json:"reader"`
}

// Parse reads an output. For an empty output it returns nil.
func Parse(text string) (*Issued, error) {
	if text == "" {
		return nil, nil
	}
	issued := &Issued{}
	if err := json.Unmarshal([]byte(text), issued); err != nil {
		// Not quoted: it is secret.
		return nil, errors.New("expected what strata credential prints, found something else")
	}
	return issued, nil
}

// answers reports whether the issued credential still fits the request, and the cluster has the
// same CA.
func (i *Issued) answers(r Request, ca []byte, now time.Time) bool {
	if i == nil || i.User != r.User || i.Lifetime != r.Lifetime || i.Generation != r.Generation ||
		!now.Before(i.Ends) || i.Reader == "" {
		return false
	}
	known, err := read([]byte(i.Kubeconfig))
	return err == nil && string(known.CAData) == string(ca)
}

// Usable returns an error for a kubeconfig whose certificate has ended, because no API server
// accepts it. A kubeconfig without a certificate does not end.
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
