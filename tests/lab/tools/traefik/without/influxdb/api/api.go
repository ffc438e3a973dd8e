// Package api is a stub of the InfluxDB client's package api. It has only the interface through
// which Traefik writes metrics.
package api

import (
	"context"

	"github.com/influxdata/influxdb-client-go/v2/api/write"
)

// WriteAPIBlocking writes points: metrics with a time.
type WriteAPIBlocking interface {
	WritePoint(ctx context.Context, points ...*write.Point) error
}
