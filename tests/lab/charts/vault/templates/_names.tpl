{{- define "vault.name" -}}
{{ .Chart.Name }}
{{- end }}

{{- /* The release's name alone if it contains vault. */}}
{{- define "vault.fullname" -}}
{{ contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "vault.account" -}}
{{ .Values.server.serviceAccount.name | default (.Values.server.serviceAccount.create | ternary (include "vault.fullname" .) "default") }}
{{- end }}

{{- define "vault.scheme" -}}
{{ .Values.global.tlsDisable | ternary "http" "https" }}
{{- end }}

{{- /* Never add a label here: a StatefulSet's selector is immutable. */}}
{{- define "vault.selector" -}}
app.kubernetes.io/name: {{ include "vault.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
component: server
{{- end }}

{{- define "vault.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/name: {{ include "vault.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* A value that is an object, or a string that may be a template. */}}
{{- define "vault.object" -}}
{{ kindIs "string" .value | ternary (tpl (toString .value) .root) (toYaml .value) }}
{{- end }}
