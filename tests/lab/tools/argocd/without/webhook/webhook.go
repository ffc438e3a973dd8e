// Package webhook stands in for forges' messages to Argo CD about their repositories. The lab's Git
// server sends none: Argo CD looks for itself.
package webhook

import "net/http"

// Handler answers that it takes none.
type Handler struct{}

// WebhookHandler is ApplicationSets' name for it.
type WebhookHandler = Handler

// NewHandler returns the server's.
func NewHandler(...any) *Handler { return &Handler{} }

// NewWebhookHandler returns that of ApplicationSets' controller.
func NewWebhookHandler(...any) (*Handler, error) { return &Handler{}, nil }

// Handler answers.
func (*Handler) Handler(answer http.ResponseWriter, _ *http.Request) {
	http.Error(answer, "the lab's Argo CD takes no webhooks", http.StatusNotImplemented)
}
