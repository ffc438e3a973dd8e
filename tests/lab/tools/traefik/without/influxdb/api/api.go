// Package api stands in for the InfluxDB client's package of that name. It has only the interface by
// which Traefik writes metrics.
package api

import (
	"context"

	"github.com/influxdata/influxdb-client-go/v2/api/write"
)

// WriteAPIBlocking writes points, which are metrics with a time.
type WriteAPIBlocking interface {
	WritePoint(ctx context.Context, points ...*write.Point) error
}
