// Package api has the interface that takes points.
package api

import (
	"context"

	"github.com/influxdata/influxdb-client-go/v2/api/write"
)

// WriteAPIBlocking takes points.
type WriteAPIBlocking interface {
	WritePoint(ctx context.Context, points ...*write.Point) error
}
