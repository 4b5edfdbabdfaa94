{{/* Both take a dictionary: root (the root context) and service (links or rooms). */}}

{{- define "latchkey.name" -}}
{{ printf "%s-%s" (trimSuffix "-" (trunc 50 .root.Release.Name)) .service }}
{{- end }}

{{- define "latchkey.selector" -}}
app.kubernetes.io/name: latchkey
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .service }}
{{- end }}

{{- define "latchkey.labels" -}}
{{ include "latchkey.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "latchkey.image" -}}
{{- with .Values.image -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ with .digest }}@{{ . }}{{ end }}
{{- end -}}
{{- end }}

{{/* Settings of a service as a dictionary; those of the reader replace those of the chart. */}}
{{- define "latchkey.settings" -}}
{{- $values := .root.Values -}}
{{- $settings := dict -}}
{{- if eq .service "links" -}}
{{- $_ := set $settings "LINKS_HOST" "0.0.0.0" -}}
{{- $_ := set $settings "LINKS_BASE_URL" (printf "https://%s" $values.links.host) -}}
{{- if $values.rooms.enabled }}{{ $_ := set $settings "LINKS_ROOMS_URL" (printf "https://%s" $values.rooms.host) }}{{ end -}}
{{- else -}}
{{- $_ := set $settings "ROOMS_HOST" "0.0.0.0" -}}
{{- $_ := set $settings "ALLOWED_HOSTS" (printf "https://%s" $values.rooms.host) -}}
{{- if $values.links.enabled }}{{ $_ := set $settings "ROOMS_LINKS_URL" (printf "https://%s" $values.links.host) }}{{ end -}}
{{- end -}}
{{- with $values.trustedProxies -}}
{{- $_ := set $settings "PROXY_HEADER" "X-Forwarded-For" -}}
{{- $_ := set $settings "TRUSTED_PROXIES" . -}}
{{- end -}}
{{- $service := index $values .service -}}
{{- range $name, $_ := $service.secrets }}{{ $_ := set $settings (printf "%s_FILE" $name) (printf "/run/secrets/latchkey/%s" $name) }}{{ end -}}
{{- merge (dict) $service.settings $settings | toYaml -}}
{{- end }}

{{- define "latchkey.pod" -}}
{{- $root := .root -}}
{{- $service := index $root.Values .service -}}
{{- $port := ternary 8080 8081 (eq .service "links") -}}
{{- $path := ternary "/robots.txt" "/api/health" (eq .service "links") -}}
metadata:
  labels:
    {{- include "latchkey.labels" . | nindent 4 }}
  {{- with $service.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  automountServiceAccountToken: false
  # A service named links would set LINKS_PORT, which is a setting.
  enableServiceLinks: false
  # Longer than the ten seconds that a shutdown may take.
  terminationGracePeriodSeconds: 15
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: {{ .service }}
      image: {{ include "latchkey.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args:
        - {{ .service }}
      env:
        {{- range $name, $value := include "latchkey.settings" . | fromYaml }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      ports:
        - name: http
          containerPort: {{ $port }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop:
            - ALL
      # Migrations of a large database take minutes.
      startupProbe:
        {{- include "latchkey.probe" (list $path $service.host) | nindent 8 }}
        periodSeconds: 2
        failureThreshold: 300
      # Says nothing of the database: while it is away, short links still work, and a restart mends nothing.
      livenessProbe:
        {{- include "latchkey.probe" (list $path $service.host) | nindent 8 }}
        periodSeconds: 10
        timeoutSeconds: 5
      readinessProbe:
        {{- include "latchkey.probe" (list (ternary $path "/api/ready" (eq .service "links")) $service.host) | nindent 8 }}
        periodSeconds: 5
        timeoutSeconds: 5
      resources:
        {{- toYaml $service.resources | nindent 8 }}
      volumeMounts:
        - name: {{ .volume }}
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- if $service.secrets }}
        - name: secrets
          mountPath: /run/secrets/latchkey
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- with .volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with $service.secrets }}
    - name: secrets
      projected:
        defaultMode: 0440
        sources:
          {{- range $name, $source := . }}
          - secret:
              name: {{ $source.name }}
              items:
                - key: {{ $source.key }}
                  path: {{ $name }}
          {{- end }}
    {{- end }}
  {{- with $service.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $service.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $service.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if gt (int $service.replicas) 1 }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "latchkey.selector" . | nindent 10 }}
  {{- end }}
{{- end }}

{{- define "latchkey.probe" -}}
httpGet:
  path: {{ index . 0 }}
  port: http
  httpHeaders:
    - name: Host
      value: {{ index . 1 }}
{{- end }}

{{- define "latchkey.claim" -}}
accessModes:
  - ReadWriteOnce
{{- with .className }}
storageClassName: {{ . }}
{{- end }}
resources:
  requests:
    storage: {{ .size }}
{{- end }}

{{/* What is equal for both services beside their workload. */}}
{{- define "latchkey.around" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "latchkey.name" . }}
  labels:
    {{- include "latchkey.labels" . | nindent 4 }}
spec:
  selector:
    {{- include "latchkey.selector" . | nindent 4 }}
  ports:
    - name: http
      port: 80
      targetPort: http
      appProtocol: http
{{- if gt (int (index .root.Values .service).replicas) 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "latchkey.name" . }}
  labels:
    {{- include "latchkey.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "latchkey.selector" . | nindent 6 }}
{{- end }}
{{- with .root.Values.networkPolicy }}
{{- if .enabled }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "latchkey.name" $ }}
  labels:
    {{- include "latchkey.labels" $ | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "latchkey.selector" $ | nindent 6 }}
  policyTypes:
    - Ingress
  ingress:
    - ports:
        - port: http
      {{- with .from }}
      from:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}
{{- end }}
{{- end }}
