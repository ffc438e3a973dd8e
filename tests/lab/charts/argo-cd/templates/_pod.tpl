{{- define "argo-cd.pod" -}}
{{- $root := .root }}
serviceAccountName: argocd-{{ .component.name }}
automountServiceAccountToken: true
terminationGracePeriodSeconds: {{ .values.terminationGracePeriodSeconds }}
nodeSelector:
  {{- .values.nodeSelector | default $root.Values.global.nodeSelector | toYaml | nindent 2 }}
{{- with .values.tolerations | default $root.Values.global.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
affinity:
  {{- include "argo-cd.affinity" . | nindent 2 }}
containers:
  - name: {{ .component.name }}
    image: {{ include "argo-cd.image" $root }}
    imagePullPolicy: {{ $root.Values.global.image.imagePullPolicy }}
    args:
      {{- concat .component.args .values.extraArgs | toYaml | nindent 6 }}
    env:
      {{- include "argo-cd.environment" . | nindent 6 }}
    ports:
      {{- range $name, $port := .component.ports }}
      - name: {{ $name }}
        containerPort: {{ $port }}
        protocol: TCP
      {{- end }}
    {{- with .component.ready }}
    readinessProbe:
      {{- include "argo-cd.probe" (dict "port" . "path" "/healthz") | nindent 6 }}
    {{- end }}
    {{- with .component.alive }}
    livenessProbe:
      {{- include "argo-cd.probe" (dict "port" . "path" "/healthz?full=true") | nindent 6 }}
    {{- end }}
    {{- with .values.lifecycle }}
    lifecycle:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    resources:
      {{- toYaml .values.resources | nindent 6 }}
    securityContext:
      {{- include "argo-cd.security" . | nindent 6 }}
    volumeMounts:
      {{- range $name, $path := .component.mounts }}
      - name: {{ $name }}
        mountPath: {{ $path }}
      {{- end }}
volumes:
  {{- $volumes := include "argo-cd.volumes" . | fromYaml }}
  {{- range $name, $path := .component.mounts }}
  - name: {{ $name }}
    {{- index $volumes $name | default (dict "emptyDir" dict) | toYaml | nindent 4 }}
  {{- end }}
{{- end }}

{{- /* Environment of a container. files/env comes from Argo CD's own manifest of this version. */}}
{{- define "argo-cd.environment" -}}
{{- with .component.self }}
- name: {{ . }}
  value: {{ $.full }}
{{- end }}
{{ .root.Files.Get (printf "files/env/%s.yaml" .component.name) | trim }}
{{- with .values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "argo-cd.affinity" -}}
{{- if .values.affinity }}
{{- toYaml .values.affinity }}
{{- else -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            app.kubernetes.io/name: {{ .root.Values.nameOverride }}-{{ .component.name }}
{{- end }}
{{- end }}

{{- define "argo-cd.probe" -}}
httpGet:
  path: {{ .path }}
  port: {{ .port }}
initialDelaySeconds: 10
periodSeconds: 10
timeoutSeconds: 1
successThreshold: 1
failureThreshold: 3
{{- end }}
