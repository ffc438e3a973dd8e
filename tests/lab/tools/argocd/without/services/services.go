// Package services is a stub of the services through which Argo CD sends notifications. The
// services' SDKs take a sixth of Argo CD's compile time.
package services

import (
	"errors"
	"io"
	"text/template"
)

var errNone = errors.New("the lab's Argo CD sends no notifications")

// Notification is a notification. It is never sent.
type Notification struct {
	Message string             `json:"message,omitempty"`
	Email   *EmailNotification `json:"email,omitempty"`
}

// EmailNotification has a notification's fields for e-mail.
type EmailNotification struct {
	Subject string `json:"subject,omitempty"`
}

// Templater fills in a template.
type Templater func(*Notification, map[string]any) error

// GetTemplater always fails.
func (*Notification) GetTemplater(string, template.FuncMap) (Templater, error) { return nil, errNone }

// Preview returns the notification's text.
func (n *Notification) Preview() string { return n.Message }

// Destination is a recipient and the service that reaches it.
type Destination struct {
	Service   string `json:"service"`
	Recipient string `json:"recipient"`
}

// Destinations maps triggers to destinations.
type Destinations map[string][]Destination

// Merge adds other destinations.
func (d Destinations) Merge(others Destinations) {
	for trigger, more := range others {
		d[trigger] = append(d[trigger], more...)
	}
}

// Dedup returns the destinations unchanged. Duplicates do not matter, because nothing is sent.
func (d Destinations) Dedup() Destinations { return d }

// NotificationService sends notifications.
type NotificationService interface {
	Send(Notification, Destination) error
}

type none struct{}

// Send always fails.
func (none) Send(Notification, Destination) error { return errNone }

// HandleSendError returns false: do not try again.
func HandleSendError(error, any) bool { return false }

// NewService always fails.
func NewService(string, []byte) (NotificationService, error) { return nil, errNone }

// NewConsoleService returns a service that always fails.
func NewConsoleService(io.Writer) NotificationService { return none{} }

// Options of services in the old format of the configuration.
type (
	EmailOptions    struct{}
	GrafanaOptions  struct{}
	OpsgenieOptions struct{}
	SlackOptions    struct{}
	WebhookOptions  struct{}
)

// NewEmailService returns a service that always fails.
func NewEmailService(EmailOptions) NotificationService { return none{} }

// NewGrafanaService returns a service that always fails.
func NewGrafanaService(GrafanaOptions) NotificationService { return none{} }

// NewOpsgenieService returns a service that always fails.
func NewOpsgenieService(OpsgenieOptions) NotificationService { return none{} }

// NewSlackService returns a service that always fails.
func NewSlackService(SlackOptions) NotificationService { return none{} }

// NewWebhookService returns a service that always fails.
func NewWebhookService(WebhookOptions) NotificationService { return none{} }
