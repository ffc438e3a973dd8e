// Package webhook is a stub of the handler for webhooks of Git hosting services. The lab's Git
// server sends none, so Argo CD polls repositories.
package webhook

import "net/http"

// Handler responds to every webhook with an error.
type Handler struct{}

// WebhookHandler is the name of Handler in the ApplicationSet controller.
type WebhookHandler = Handler

// NewHandler returns the handler of Argo CD's server.
func NewHandler(...any) *Handler { return &Handler{} }

// NewWebhookHandler returns the handler of the ApplicationSet controller.
func NewWebhookHandler(...any) (*Handler, error) { return &Handler{}, nil }

// Handler responds with 501 Not Implemented.
func (*Handler) Handler(answer http.ResponseWriter, _ *http.Request) {
	http.Error(answer, "the lab's Argo CD takes no webhooks", http.StatusNotImplemented)
}
