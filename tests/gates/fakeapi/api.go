package fakeapi

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

var quiet = log.New(io.Discard, "", 0)

// route is the parsed path of a request.
type route struct {
	groupVersion, namespace, plural, name string
}

func parseRoute(path string) route {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	r := route{}
	if parts[0] == "api" && len(parts) > 1 {
		r.groupVersion, parts = parts[1], parts[2:]
	} else if len(parts) > 2 {
		r.groupVersion, parts = parts[1]+"/"+parts[2], parts[3:]
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		r.namespace, parts = parts[1], parts[2:]
	}
	if len(parts) > 0 {
		r.plural = parts[0]
	}
	if len(parts) > 1 {
		r.name = parts[1]
	}
	return r
}

func (s *Server) api(w http.ResponseWriter, r *http.Request, script Script, stop chan struct{}) {
	to := parseRoute(r.URL.Path)
	if r.URL.Path == "/apis" {
		s.discoverAll(w, script)
		return
	}
	kinds, found := s.cluster.served(to.groupVersion)
	if !found || slices.Contains(script.Unknown, to.groupVersion) {
		refuse(w,
			Refusal{Code: http.StatusNotFound, Reason: "NotFound",
				Message: "the server could not find the requested resource"})
		return
	}
	switch {
	case to.plural == "":
		discover(w, to.groupVersion, kinds)
	case r.Method == http.MethodPost:
		create(w, r, script)
	case r.URL.Query().Get("watch") == "true":
		s.watch(w, r, to, stop)
	case to.name != "":
		s.get(w, to)
	default:
		s.list(w, r, to)
	}
}

func discover(w http.ResponseWriter, groupVersion string, kinds map[string]Resource) {
	resources := []map[string]any{}
	for kind, r := range kinds {
		resources = append(resources,
			map[string]any{"name": r.Plural, "kind": kind, "namespaced": r.Namespaced,
				"verbs": []string{"create", "list", "watch"}})
	}
	answer(w, http.StatusOK,
		map[string]any{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": groupVersion,
			"resources": resources})
}

// create answers a dry run. It refuses any other create, because gates must not write.
func create(w http.ResponseWriter, r *http.Request, script Script) {
	if r.URL.Query().Get("dryRun") != "All" {
		refuse(w, Refusal{Code: http.StatusTeapot, Message: "a gate wrote"})
		return
	}
	var object map[string]any
	if err := json.NewDecoder(r.Body).Decode(&object); err != nil {
		refuse(w, Refusal{Code: http.StatusBadRequest, Reason: "BadRequest", Message: err.Error()})
		return
	}
	if script.Admit != nil {
		if refusal := script.Admit(object); refusal != nil {
			refuse(w, *refusal)
			return
		}
	}
	answer(w, http.StatusCreated, object)
}

func (s *Server) get(w http.ResponseWriter, to route) {
	for _, object := range s.cluster.store.list(to.groupVersion + "/" + to.plural) {
		if object.GetNamespace() == to.namespace && object.GetName() == to.name {
			answer(w, http.StatusOK, object.Object)
			return
		}
	}
	refuse(w,
		Refusal{Code: http.StatusNotFound, Reason: "NotFound",
			Message: to.plural + " \"" + to.name + "\" not found"})
}

func (s *Server) list(w http.ResponseWriter, r *http.Request, to route) {
	items := []any{}
	for _, object := range s.cluster.store.list(to.groupVersion + "/" + to.plural) {
		if selected(r, to, object) {
			items = append(items, object.Object)
		}
	}
	answer(w, http.StatusOK,
		map[string]any{"kind": "List", "apiVersion": to.groupVersion, "metadata": map[string]any{},
			"items": items})
}

// selected reports whether an object matches a request's namespace, label selector and field
// selector. It knows only two fields: an object's name and an event's type.
func selected(r *http.Request, to route, object *unstructured.Unstructured) bool {
	if to.namespace != "" && object.GetNamespace() != to.namespace {
		return false
	}
	byLabel, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil || !byLabel.Matches(labels.Set(object.GetLabels())) {
		return false
	}
	byField, err := fields.ParseSelector(r.URL.Query().Get("fieldSelector"))
	kind, _, _ := unstructured.NestedString(object.Object, "type")
	return err == nil && byField.Matches(fields.Set{"metadata.name": object.GetName(),
		"type": kind})
}

func (s *Server) watch(w http.ResponseWriter, r *http.Request, to route, stop chan struct{}) {
	now, changes, end := s.cluster.store.watch(to.groupVersion + "/" + to.plural)
	defer end()
	w.Header().Set("Content-Type", "application/json")
	stream := json.NewEncoder(w)
	send := func(e event) error {
		if !selected(r, to, e.Object) {
			return nil
		}
		return stream.Encode(e)
	}
	for _, object := range now {
		if send(event{Type: "ADDED", Object: object}) != nil {
			return
		}
	}
	for {
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-stop:
			return
		case e := <-changes:
			if send(e) != nil {
				return
			}
		}
	}
}

func refuse(w http.ResponseWriter, refusal Refusal) {
	answer(w, refusal.Code, map[string]any{
		"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": refusal.Code,
		"reason": refusal.Reason, "message": refusal.Message,
	})
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client has gone, so there is nothing to answer
}
