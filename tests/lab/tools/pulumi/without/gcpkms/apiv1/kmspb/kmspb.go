// Package kmspb has the requests and their answers.
package kmspb

// EncryptRequest says what to encrypt.
type EncryptRequest struct {
	Name                                   string
	Plaintext, AdditionalAuthenticatedData []byte
}

// EncryptResponse is what came of it.
type EncryptResponse struct{}

// GetCiphertext is empty.
func (*EncryptResponse) GetCiphertext() []byte { return nil }

// DecryptRequest says what to decrypt.
type DecryptRequest struct {
	Name                                    string
	Ciphertext, AdditionalAuthenticatedData []byte
}

// DecryptResponse is what came of it.
type DecryptResponse struct{}

// GetPlaintext is empty.
func (*DecryptResponse) GetPlaintext() []byte { return nil }
