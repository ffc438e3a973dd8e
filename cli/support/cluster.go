package support

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/kube/apiserver"
)

// asTable makes the API server return the table that kubectl prints, which does not show values of
// environment variables.
const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io"

// lists holds the API paths to list, in all namespaces, and the name of the file for each.
var lists = []struct{ name, path string }{
	{"nodes", "/api/v1/nodes"}, {"pods", "/api/v1/pods"}, {"events", "/api/v1/events"},
	{"services", "/api/v1/services"},
	{"deployments", "/apis/apps/v1/deployments"}, {"daemonsets", "/apis/apps/v1/daemonsets"},
	{"statefulsets", "/apis/apps/v1/statefulsets"},
	{"jobs", "/apis/batch/v1/jobs"}, {"persistentvolumeclaims", "/api/v1/persistentvolumeclaims"},
}

// most bounds the number of objects of one kind that the archive lists.
const most = 5000

// clusterSources returns a source for each list of a cluster. servers are K3s's API servers, as
// https://address:port; the first that answers is used. If servers is empty, the kubeconfig's
// server is used.
func clusterSources(kubeconfig []byte, servers []string) ([]source, error) {
	client, err := apiserver.Access{Kubeconfig: kubeconfig, Servers: servers}.Client()
	if err != nil {
		return nil, err
	}
	var sources []source
	for _, list := range lists {
		sources = append(sources, singleFile("cluster/"+list.name+".txt",
			func(ctx context.Context) ([]byte, error) {
				raw, err := client.CoreV1().RESTClient().Get().AbsPath(list.path).
					Param("limit", fmt.Sprint(most)).SetHeader("Accept", asTable).Do(ctx).Raw()
				if err != nil {
					return nil, err
				}
				return tableText(raw)
			}))
	}
	return sources, nil
}

// tableText formats a Table as `kubectl get --output wide` does.
func tableText(raw []byte) ([]byte, error) {
	var table metav1.Table
	if err := json.Unmarshal(raw, &table); err != nil {
		return nil, fmt.Errorf("table of the API server: %w", err)
	}
	var text bytes.Buffer
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	header := []string{"NAMESPACE"}
	for _, column := range table.ColumnDefinitions {
		header = append(header, strings.ToUpper(column.Name))
	}
	_, _ = fmt.Fprintln(out, strings.Join(header, "\t")) // Flush returns the error
	for _, row := range table.Rows {
		var object metav1.PartialObjectMetadata
		if err := json.Unmarshal(row.Object.Raw, &object); err != nil {
			return nil, fmt.Errorf("table of the API server: %w", err)
		}
		cells := []string{object.Namespace}
		for _, cell := range row.Cells {
			cells = append(cells, strings.Join(strings.Fields(fmt.Sprint(cell)), " "))
		}
		_, _ = fmt.Fprintln(out, strings.Join(cells, "\t"))
	}
	if table.Continue != "" {
		_, _ = fmt.Fprintf(out, "… (the first %d only)\n", most)
	}
	err := out.Flush()
	return text.Bytes(), err
}
