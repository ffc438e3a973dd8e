{{- define "argo-cd.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{ .Values.fullnameOverride | default $full | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* Never add a label here: a Deployment's selector is immutable. Takes root, and a component's name. */}}
{{- define "argo-cd.selector" -}}
app.kubernetes.io/name: {{ .root.Values.nameOverride }}-{{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}

{{- /* Takes root, name, and component if it differs from name. */}}
{{- define "argo-cd.labels" -}}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{ include "argo-cd.selector" . }}
app.kubernetes.io/component: {{ .component | default .name }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: argocd
app.kubernetes.io/version: {{ .root.Values.global.image.tag | default .root.Chart.AppVersion }}
{{- with .root.Values.global.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "argo-cd.image" -}}
{{ .Values.global.image.repository }}:{{ .Values.global.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* Security context of each Argo CD container. The image runs as user 999 and writes only to volumes. */}}
{{- define "argo-cd.security" -}}
runAsNonRoot: true
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
seccompProfile:
  type: RuntimeDefault
capabilities:
  drop: [ALL]
{{- end }}

{{- define "argo-cd.checks" -}}
{{- range list "dex" "notifications" }}
{{- if (index $.Values .).enabled }}
{{- fail (printf "the lab has no %s: set %s.enabled to false" . .) }}
{{- end }}
{{- end }}
{{- end }}
