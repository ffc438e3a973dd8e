package kuberead

import (
	"context"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"strata/actions/verb"
)

// ReadTime prints the API server's time plus Ahead, in RFC 3339.
var ReadTime = verb.New(func(ctx context.Context, call verb.Call, input TimeInput) error {
	config, err := call.Config()
	if err != nil {
		return err
	}
	now, err := ServerTime(ctx, config)
	if err != nil {
		return err
	}
	return call.Print(now.Add(input.Ahead.Duration).UTC().Format(time.RFC3339))
})

// TimeInput is the input of ReadTime.
type TimeInput struct {
	// Ahead is added to the API server's time.
	Ahead   metav1.Duration `json:"ahead"`
	Timeout metav1.Duration `json:"timeout"`
}

// ServerTime returns the API server's time, to the second, because the workstation's clock may be
// wrong.
func ServerTime(ctx context.Context, config *rest.Config) (time.Time, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return time.Time{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+"/version", nil)
	if err != nil {
		return time.Time{}, err
	}
	response, err := client.Do(request)
	if err != nil {
		return time.Time{}, fmt.Errorf("ask the API server for its time: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	date := response.Header.Get("Date")
	now, err := http.ParseTime(date)
	if err != nil {
		return time.Time{}, fmt.Errorf("ask the API server for its time: expected a Date header, "+
			"found %q with %s", date, response.Status)
	}
	return now, nil
}
