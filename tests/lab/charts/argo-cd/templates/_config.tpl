{{- /* Data of a ConfigMap. Every value becomes a string. */}}
{{- define "argo-cd.texts" -}}
{{- range $key, $value := . }}
{{ $key }}: {{ toString $value | toJson }}
{{- end }}
{{- end }}

{{- define "argo-cd.cm" -}}
{{- $defaults := .Files.Get "files/cm.yaml" | fromYaml }}
{{- $own := dict "url" (printf "https://%s" .Values.global.domain) }}
{{- include "argo-cd.texts" (mergeOverwrite $defaults $own (omit .Values.configs.cm "create" "annotations")) }}
{{- end }}

{{- define "argo-cd.params" -}}
{{- $full := include "argo-cd.fullname" . }}
{{- $all := dict "repo.server" (printf "%s-repo-server:8081" $full) "redis.server" (printf "%s-redis:6379" $full) }}
{{- range list "server" "reposerver" "controller" "applicationsetcontroller" }}
{{- $_ := set $all (printf "%s.log.format" .) $.Values.global.logging.format }}
{{- $_ := set $all (printf "%s.log.level" .) $.Values.global.logging.level }}
{{- end }}
{{- include "argo-cd.texts" (mergeOverwrite $all (omit .Values.configs.params "create" "annotations")) }}
{{- end }}

{{- /* A ConfigMap with the fixed name that Argo CD reads. Takes root, name, annotations, data. */}}
{{- define "argo-cd.configmap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "argo-cd.labels" (dict "root" .root "name" .name "component" "server") | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
data:
  {{- trim .data | default "{}" | nindent 2 }}
{{- end }}
