package kube

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	logLimit = 4 << 20
	// logTimeout limits the request through the kubelet, so that it does not delay other facts.
	logTimeout = 2 * time.Second
)

// ReadLog returns what a Pod's container has logged in the last period. If the log cannot be read,
// unread says why.
func (s *APIServer) ReadLog(
	ctx context.Context, namespace, pod, container string, period time.Duration,
) (text, unread string) {
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	path := fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/log?container=%s&sinceSeconds=%d", namespace,
		pod, url.QueryEscape(container), int(period.Seconds()))
	status, text, err := s.GetAs(ctx, path, "", logLimit)
	switch {
	case apierrors.IsForbidden(err):
		return "", "needs get pods/log"
	case err != nil || status != http.StatusOK:
		return "", "the kubelet gave no log of Pod " + pod
	}
	return text, ""
}
