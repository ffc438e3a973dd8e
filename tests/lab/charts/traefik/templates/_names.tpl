{{- define "traefik.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* The release's name alone if it contains traefik. */}}
{{- define "traefik.fullname" -}}
{{- $name := include "traefik.name" . -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{ .Values.fullnameOverride | default $full | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* Cluster-scoped names include the namespace, because releases in two namespaces may share a name. */}}
{{- define "traefik.clusterName" -}}
{{ printf "%s-%s" (include "traefik.fullname" .) .Release.Namespace | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "traefik.account" -}}
{{ .Values.serviceAccount.name | default (include "traefik.fullname" .) }}
{{- end }}

{{- /* Never add a label here: a Deployment's selector is immutable. */}}
{{- define "traefik.selector" -}}
app.kubernetes.io/name: {{ include "traefik.name" . }}
app.kubernetes.io/instance: {{ printf "%s-%s" .Release.Name .Release.Namespace | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "traefik.labels" -}}
{{ include "traefik.selector" . }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "traefik.image" -}}
{{ .Values.image.registry }}/{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
