// Package request has requests that are never sent.
package request

import (
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go/aws"
)

// Request is one.
type Request struct{ HTTPRequest *http.Request }

// Presign refuses.
func (*Request) Presign(time.Duration) (string, error) { return "", aws.ErrNone }

// Option changes a request.
type Option func(*Request)
