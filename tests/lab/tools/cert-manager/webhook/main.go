// Command webhook is cert-manager's admission webhook.
package main

import (
	"context"
	"fmt"
	"os"

	logsapi "k8s.io/component-base/logs/api/v1"

	config "github.com/cert-manager/cert-manager/internal/apis/config/webhook"
	"github.com/cert-manager/cert-manager/internal/apis/config/webhook/validation"
	"github.com/cert-manager/cert-manager/internal/webhook"
	"github.com/cert-manager/cert-manager/lab/command"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
	"github.com/cert-manager/cert-manager/pkg/util/configfile"
	webhookfile "github.com/cert-manager/cert-manager/pkg/webhook/configfile"
	"github.com/cert-manager/cert-manager/pkg/webhook/options"
)

func main() {
	defaults, err := options.NewWebhookConfiguration()
	if err != nil {
		fmt.Fprintln(os.Stderr, "webhook: defaults:", err)
		os.Exit(1)
	}
	command.Command[config.WebhookConfiguration]{
		Name: "webhook", Config: defaults, Flags: options.AddConfigFlags,
		Validate: validation.ValidateWebhookConfiguration,
		File: func() (configfile.ConfigFile, func() *config.WebhookConfiguration) {
			file := webhookfile.New()
			return file, func() *config.WebhookConfiguration { return file.Config }
		},
		Gates:   func(c *config.WebhookConfiguration) map[string]bool { return c.FeatureGates },
		Logging: func(c *config.WebhookConfiguration) *logsapi.LoggingConfiguration { return &c.Logging },
		Run: func(ctx context.Context, c *config.WebhookConfiguration) error {
			server, err := webhook.NewCertManagerWebhookServer(logf.FromContext(ctx, "webhook"), *c)
			if err != nil {
				return err
			}
			return server.Run(ctx)
		},
	}.Main()
}
