package machines

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const testKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICRsrqYqVHrSrxMLQmcBMBakCw15BHjVBJO0ALMTVo3B"

var testSHA = strings.Repeat("ab", 32)

// specJSON returns a minimal valid spec in which old is replaced once.
func specJSON(old, replacement string) string {
	text := `{"name":"local-server-1","image":"machine.tar","imageSha256":"` + testSHA + `","bridge":"strata0",
		"subnet":"10.10.0.0/24","address":"10.10.0.11","authorizedKey":"` + testKey + `"}`
	return strings.Replace(text, old, replacement, 1)
}

func testSpec(t *testing.T) Spec {
	t.Helper()
	spec, err := ReadSpec(strings.NewReader(specJSON("", "")))
	require.NoError(t, err)
	return spec
}

func TestMinimalSpecGetsHostnameAndGateway(t *testing.T) {
	spec := testSpec(t)
	assert.Equal(t, "local-server-1", spec.Hostname)
	assert.Equal(t, "10.10.0.1", spec.Gateway.String())
}

func TestErrorForInvalidSpecNamesTheField(t *testing.T) {
	for _, tc := range []struct{ name, old, replacement, want string }{
		{"unknown field", `"name"`, `"nmae":"x","name"`, `unknown field "nmae"`},
		{"name with upper case", "local-server-1", "Server", `name: "Server"`},
		{"name that climbs out of its directory", "local-server-1", "../etc", `name: "../etc"`},
		{"no image", "machine.tar", "", "image:"},
		{"short checksum", testSHA, "abc", `imageSha256: "abc"`},
		{"bridge name too long", "strata0", "strata-bridge-01", `bridge: "strata-bridge-01"`},
		{"subnet with host bits", "10.10.0.0/24", "10.10.0.5/24", `subnet: "10.10.0.5/24"`},
		{"subnet of IPv6", "10.10.0.0/24", "fd00::/64", `subnet: "fd00::/64"`},
		{"address outside", "10.10.0.11", "10.11.0.11", `address: "10.11.0.11"`},
		{"address of the network", "10.10.0.11", "10.10.0.0", `address: "10.10.0.0"`},
		{"broadcast address", "10.10.0.11", "10.10.0.255", `address: "10.10.0.255"`},
		{"address of the gateway", "10.10.0.11", "10.10.0.1", "is the gateway's address"},
		{"private key", testKey, "-----BEGIN OPENSSH PRIVATE KEY-----", "authorizedKey:"},
		{"too little memory", `"bridge"`, `"memoryMiB":64,"bridge"`, "memoryMiB:"},
		{"negative processors", `"bridge"`, `"cpus":-1,"bridge"`, "cpus:"},
		{"delay without a unit", `"bridge"`, `"bootDelay":"30","bridge"`, `duration "30"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ReadSpec(strings.NewReader(specJSON(tc.old, tc.replacement)))
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestAllMistakesInASpecAreReportedTogether(t *testing.T) {
	_, err := ReadSpec(strings.NewReader(`{"subnet":"10.10.0.0/24"}`))
	for _, field := range []string{"address:", "authorizedKey:", "bridge:", "hostname:", "image:",
		"imageSha256:", "name:"} {
		assert.ErrorContains(t, err, field)
	}
}

func TestMachineIsRebuiltForNewAddressButNotNewImage(t *testing.T) {
	old, wanted := testSpec(t), testSpec(t)
	wanted.ImageSHA256, wanted.MemoryMiB = strings.Repeat("cd", 32), 512
	assert.Empty(t, rebuildReasons(old, wanted))
	_, sha := keepImage(old, wanted, nil)
	assert.Equal(t, old.ImageSHA256, sha)

	wanted.Address, wanted.Bridge = wanted.Address.Next(), "strata1"
	assert.Equal(t, []string{"bridge", "address"}, rebuildReasons(old, wanted))
}
