module strata/tests/lab/tools/metallb

go 1.26.0

require (
	cel.dev/expr v0.24.0
	github.com/armon/go-metrics v0.4.1
	github.com/davecgh/go-spew v1.1.1
	github.com/fsnotify/fsnotify v1.10.1
	github.com/go-openapi/jsonpointer v0.21.0
	github.com/go-openapi/jsonreference v0.20.2
	github.com/go-openapi/swag v0.23.0
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.28.0
	github.com/hashicorp/errwrap v1.1.0
	github.com/hashicorp/go-multierror v1.1.1
	github.com/hashicorp/go-sockaddr v1.0.7
	github.com/hashicorp/golang-lru v1.0.2
	github.com/mailru/easyjson v0.7.7
	github.com/miekg/dns v1.1.72
	github.com/pmezard/go-difflib v1.0.0
	github.com/prometheus/client_golang v1.23.2
	github.com/prometheus/common v0.66.1
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.10
	go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp v0.67.0
	go.opentelemetry.io/otel v1.43.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.42.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.42.0
	go.opentelemetry.io/otel/metric v1.43.0
	go.opentelemetry.io/otel/sdk v1.43.0
	go.opentelemetry.io/otel/trace v1.43.0
	go.opentelemetry.io/proto/otlp v1.10.0
	go.uber.org/zap v1.28.0
	go.universe.tf/metallb v0.16.1
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/exp v0.0.0-20260410095643-746e56fc9e2f
	golang.org/x/net v0.60.0
	golang.org/x/oauth2 v0.35.0
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
	golang.org/x/text v0.43.0
	golang.org/x/time v0.12.0
	google.golang.org/genproto/googleapis/api v0.0.0-20260401024825-9d38bb4040a9
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260401024825-9d38bb4040a9
	google.golang.org/grpc v1.80.0
	google.golang.org/protobuf v1.36.11
	k8s.io/api v0.34.2
	k8s.io/apiextensions-apiserver v0.34.2
	k8s.io/apimachinery v0.34.2
	k8s.io/apiserver v0.34.2
	k8s.io/client-go v0.34.2
	k8s.io/component-base v0.34.2
)

exclude github.com/davecgh/go-spew v1.1.2-0.20180830191138-d8f796af33cc

exclude github.com/mailru/easyjson v0.9.0

exclude github.com/go-openapi/swag v0.23.1

exclude github.com/go-openapi/jsonpointer v0.21.1

exclude github.com/go-openapi/jsonreference v0.21.0

exclude github.com/pmezard/go-difflib v1.0.1-0.20181226105442-5d4384ee4fb2

exclude cel.dev/expr v0.25.1
