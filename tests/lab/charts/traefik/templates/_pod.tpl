{{- define "traefik.pod" -}}
metadata:
  annotations:
    {{- with .Values.metrics.prometheus }}
    prometheus.io/scrape: "true"
    prometheus.io/path: /metrics
    prometheus.io/port: {{ (index $.Values.ports .entryPoint).port | quote }}
    {{- end }}
    {{- with .Values.deployment.podAnnotations }}
    {{- tpl (toYaml .) $ | nindent 4 }}
    {{- end }}
  labels:
    {{- include "traefik.labels" . | nindent 4 }}
    {{- with .Values.deployment.podLabels }}
    {{- tpl (toYaml .) $ | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "traefik.account" . }}
  automountServiceAccountToken: true
  terminationGracePeriodSeconds: {{ .Values.deployment.terminationGracePeriodSeconds }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    {{- toYaml .Values.podSecurityContext | nindent 4 }}
  containers:
    {{- include "traefik.container" . | nindent 4 }}
  volumes:
    - name: data
      emptyDir: {}
    - name: tmp
      emptyDir: {}
  {{- range $field := list "affinity" "nodeSelector" "tolerations" "topologySpreadConstraints" }}
  {{- with index $.Values $field }}
  {{ $field }}:
    {{- tpl (toYaml .) $ | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end }}

{{- define "traefik.container" -}}
- name: {{ include "traefik.fullname" . }}
  image: {{ include "traefik.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args:
    {{- include "traefik.arguments" . | trim | nindent 4 }}
  env:
    - name: POD_NAME
      valueFrom: {fieldRef: {fieldPath: metadata.name}}
    - name: POD_NAMESPACE
      valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
    {{- with .Values.env }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.envFrom }}
  envFrom:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  ports:
    {{- range $name, $port := .Values.ports }}
    - name: {{ lower $name | trunc 15 }}
      containerPort: {{ $port.port }}
      protocol: {{ $port.protocol }}
    {{- end }}
  readinessProbe:
    {{- include "traefik.ping" . | nindent 4 }}
    {{- toYaml .Values.readinessProbe | nindent 4 }}
  livenessProbe:
    {{- include "traefik.ping" . | nindent 4 }}
    {{- toYaml .Values.livenessProbe | nindent 4 }}
  {{- with .Values.startupProbe }}
  startupProbe:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.deployment.lifecycle }}
  lifecycle:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  resources:
    {{- toYaml .Values.resources | nindent 4 }}
  securityContext:
    {{- toYaml .Values.securityContext | nindent 4 }}
  volumeMounts:
    - name: data
      mountPath: /data
    - name: tmp
      mountPath: /tmp
{{- end }}

{{- /* After SIGTERM, /ping first answers 503, which removes the Pod from its Service. */}}
{{- define "traefik.ping" -}}
httpGet:
  path: /ping
  port: {{ .Values.ports.traefik.port }}
  scheme: HTTP
{{- end }}
