// Package log would set lego's logger.
package log

import "log/slog"

// SetDefault changes nothing: there is nothing to log.
func SetDefault(*slog.Logger) {}
