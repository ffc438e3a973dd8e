package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// webhook returns the handler for admission reviews. It admits a GatewayProxy that names a missing
// object with a warning, and rejects a second GatewayProxy of the same data plane. It rejects other
// objects if refusal returns a reason.
func (c *controller) webhook() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
		if err == nil {
			err = json.Unmarshal(body, &review)
		}
		if err != nil || review.Request == nil {
			http.Error(w, "expected an AdmissionReview", http.StatusBadRequest)
			return
		}
		response := &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		o := &unstructured.Unstructured{}
		if err := json.Unmarshal(review.Request.Object.Raw, &o.Object); err == nil {
			response.Warnings = c.warnings(o)
			if other := c.conflict(r.URL.Path, o); other != "" {
				response.Allowed = false
				response.Result = &metav1.Status{Code: http.StatusForbidden,
					Message: "gateway proxy configuration conflict: " + other}
			}
			if err := c.refusal(r.Context(), o); err != nil {
				response.Allowed, response.Result = false,
					&metav1.Status{Code: http.StatusForbidden, Message: err.Error()}
			}
		}
		review.Response, review.Request = response, nil
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // the API server may have disconnected
	})
}

// warnings returns warnings about missing objects that a GatewayProxy names.
func (c *controller) warnings(o object) []string {
	if o.GetKind() != "GatewayProxy" {
		return nil
	}
	var all []string
	service := text(o, "spec", "provider", "controlPlane", "service", "name")
	if service != "" && c.get(services, o.GetNamespace(), service) == nil {
		all = append(all, fmt.Sprintf("Referenced Service '%s/%s' not found", o.GetNamespace(), service))
	}
	secret := text(o, "spec", "provider", "controlPlane", "auth", "adminKey", "valueFrom", "secretKeyRef", "name")
	if secret != "" && c.get(secrets, o.GetNamespace(), secret) == nil {
		all = append(all, fmt.Sprintf("Referenced Secret '%s/%s' not found", o.GetNamespace(), secret))
	}
	return all
}

// conflict describes another GatewayProxy that has the same Service and key; empty if there is
// none.
func (c *controller) conflict(path string, o object) string {
	if !strings.HasSuffix(path, "-gatewayproxy") {
		return ""
	}
	plane := func(of object) string {
		return of.GetNamespace() + "/" + text(of, "spec", "provider", "controlPlane", "service",
			"name") + " with key " +
			text(of, "spec", "provider", "controlPlane", "auth", "adminKey", "valueFrom", "secretKeyRef", "name")
	}
	for _, other := range c.all(proxies) {
		same := other.GetNamespace() == o.GetNamespace() && other.GetName() == o.GetName()
		if !same && text(o, "spec", "provider", "controlPlane", "service", "name") != "" && plane(o) == plane(other) {
			return fmt.Sprintf("%s/%s and %s/%s both target Service %s", o.GetNamespace(),
				o.GetName(), other.GetNamespace(), other.GetName(), plane(o))
		}
	}
	return ""
}
