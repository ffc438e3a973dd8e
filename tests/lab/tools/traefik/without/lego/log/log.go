// Package log is a stub of lego's logger.
package log

import "log/slog"

// SetDefault does nothing, because lego logs nothing here.
func SetDefault(*slog.Logger) {}
