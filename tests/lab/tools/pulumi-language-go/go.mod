module strata/tests/lab/tools/pulumi-language-go

go 1.26.0

require (
	github.com/pulumi/pulumi/sdk/v3 v3.60.0
	github.com/stretchr/testify v1.12.1
	gopkg.in/yaml.v3 v3.0.1
)

require (
	dario.cat/mergo v1.0.2
	github.com/ProtonMail/go-crypto v1.4.1
	github.com/clipperhouse/uax29/v2 v2.7.0
	github.com/cloudflare/circl v1.6.3
	github.com/cyphar/filepath-securejoin v0.6.1
	github.com/djherbis/times v1.6.0
	github.com/go-git/gcfg v1.5.1-0.20230307220236-3a3c6141e376
	github.com/go-git/go-billy/v5 v5.6.2
	github.com/go-git/go-git/v5 v5.14.0
	github.com/gofrs/uuid v4.4.0+incompatible
	github.com/golang/glog v1.2.5
	github.com/golang/protobuf v1.5.4
	github.com/hashicorp/go-version v1.8.0
	github.com/imdario/mergo v0.3.16
	github.com/kevinburke/ssh_config v1.6.0
	github.com/mattn/go-runewidth v0.0.23
	github.com/pjbgf/sha1cd v0.6.0
	github.com/rivo/uniseg v0.4.7
	github.com/rogpeppe/go-internal v1.14.1
	github.com/sergi/go-diff v1.4.0
	github.com/skeema/knownhosts v1.3.1
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.10
	go.uber.org/atomic v1.11.0
	golang.org/x/crypto v0.58.0
	golang.org/x/mod v0.41.0
	golang.org/x/net v0.60.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
	golang.org/x/text v0.43.0
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260401024825-9d38bb4040a9
	google.golang.org/grpc v1.80.0
	lukechampine.com/frand v1.5.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
