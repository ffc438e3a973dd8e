// Package services stands in for the services by which Argo CD notifies users, with their SDKs: a
// sixth of its compile time.
package services

import (
	"errors"
	"io"
	"text/template"
)

var errNone = errors.New("the lab's Argo CD sends no notifications")

// Notification would be sent.
type Notification struct {
	Message string             `json:"message,omitempty"`
	Email   *EmailNotification `json:"email,omitempty"`
}

// EmailNotification is its part for e-mail.
type EmailNotification struct {
	Subject string `json:"subject,omitempty"`
}

// Templater fills in a template.
type Templater func(*Notification, map[string]any) error

// GetTemplater refuses.
func (*Notification) GetTemplater(string, template.FuncMap) (Templater, error) { return nil, errNone }

// Preview is its text.
func (n *Notification) Preview() string { return n.Message }

// Destination is to whom, by which service.
type Destination struct {
	Service   string `json:"service"`
	Recipient string `json:"recipient"`
}

// Destinations are those of triggers.
type Destinations map[string][]Destination

// Merge adds others.
func (d Destinations) Merge(others Destinations) {
	for trigger, more := range others {
		d[trigger] = append(d[trigger], more...)
	}
}

// Dedup returns them: nothing is sent, however often.
func (d Destinations) Dedup() Destinations { return d }

// NotificationService sends.
type NotificationService interface {
	Send(Notification, Destination) error
}

type none struct{}

// Send refuses.
func (none) Send(Notification, Destination) error { return errNone }

// HandleSendError says whether to try again: never.
func HandleSendError(error, any) bool { return false }

// NewService refuses.
func NewService(string, []byte) (NotificationService, error) { return nil, errNone }

// NewConsoleService returns one that refuses.
func NewConsoleService(io.Writer) NotificationService { return none{} }

// Options of services in the old form of the configuration.
type (
	EmailOptions    struct{}
	GrafanaOptions  struct{}
	OpsgenieOptions struct{}
	SlackOptions    struct{}
	WebhookOptions  struct{}
)

// NewEmailService returns one that refuses.
func NewEmailService(EmailOptions) NotificationService { return none{} }

// NewGrafanaService returns one that refuses.
func NewGrafanaService(GrafanaOptions) NotificationService { return none{} }

// NewOpsgenieService returns one that refuses.
func NewOpsgenieService(OpsgenieOptions) NotificationService { return none{} }

// NewSlackService returns one that refuses.
func NewSlackService(SlackOptions) NotificationService { return none{} }

// NewWebhookService returns one that refuses.
func NewWebhookService(WebhookOptions) NotificationService { return none{} }
