//go:build unix

package identity_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/identity"
)

// writePair writes a certificate of a serial number and its key.
func writePair(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, private.Public(), private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return cert, key
}

// serial is that of the certificate that the next connection gets.
func serial(t *testing.T, of *tls.Config) int64 {
	t.Helper()
	config, err := of.GetConfigForClient(nil)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(config.Certificates[0].Certificate[0])
	require.NoError(t, err)
	assert.Equal(t, uint16(tls.VersionTLS12), config.MinVersion)
	return cert.SerialNumber.Int64()
}

func TestAChangedCertificateIsReloaded(t *testing.T) {
	dir := t.TempDir()
	cert, key := writePair(t, dir, 1)
	loaded, err := identity.OpenTLS(cert, key, "", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	config := loaded.Config()
	require.EqualValues(t, 1, serial(t, config))
	writePair(t, dir, 2)
	require.EqualValues(t, 2, serial(t, config))
	require.NoError(t, os.WriteFile(cert, []byte("half a"), 0o600))
	require.EqualValues(t, 2, serial(t, config), "the last good one stays")
	require.NoError(t, os.Remove(cert))
	require.EqualValues(t, 2, serial(t, config))
	writePair(t, dir, 3)
	require.EqualValues(t, 3, serial(t, config))
}

func TestAnInvalidCertificateIsRefused(t *testing.T) {
	dir := t.TempDir()
	cert, key := writePair(t, dir, 1)
	log := slog.New(slog.DiscardHandler)
	for name, files := range map[string][3]string{
		"no key":                 {cert, "", ""},
		"no certificate":         {"", key, ""},
		"a file that is missing": {cert, key + "x", ""},
		"the wrong way round":    {key, cert, ""},
		"a key as an authority":  {cert, key, key},
		"a directory":            {dir, key, ""},
	} {
		_, err := identity.OpenTLS(files[0], files[1], files[2], log)
		require.Error(t, err, name)
	}
	require.NoError(t, os.Chmod(key, 0o644))
	_, err := identity.OpenTLS(cert, key, "", log)
	require.ErrorContains(t, err, "chmod 600")
}
