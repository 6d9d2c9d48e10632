package identity

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"gavel/internal/private"
)

// maxPEM is the maximum size of a file with certificates, in bytes.
const maxPEM = 4 << 20

// TLS loads the certificates of a listener, and reloads them when their files change.
// Unusable files change nothing: the last good ones stay. It is safe for concurrent use.
type TLS struct {
	cert, key, clientCA string
	log                 *slog.Logger

	mu     sync.Mutex
	loaded []private.Print
	config *tls.Config
	failed string // the last error that was logged
}

// OpenTLS loads a certificate and its key, both in PEM, and, unless clientCA is "", the
// authorities of client certificates. Only this user may have access to the key.
func OpenTLS(cert, key, clientCA string, log *slog.Logger) (*TLS, error) {
	if cert == "" || key == "" {
		return nil, errors.New("a TLS listener needs a certificate and its key")
	}
	t := &TLS{cert: cert, key: key, clientCA: clientCA, log: log}
	t.loaded = t.fingerprints()
	var err error
	if t.config, err = t.load(); err != nil {
		return nil, fmt.Errorf("load the certificates: %w", err)
	}
	return t, nil
}

// Config returns the configuration of a listener.
func (t *TLS) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return t.current(), nil }}
}

// ClientCAs returns the current authorities of client certificates, or nil.
func (t *TLS) ClientCAs() *x509.CertPool { return t.current().ClientCAs }

func (t *TLS) files() []string {
	files := []string{t.cert, t.key}
	if t.clientCA != "" {
		files = append(files, t.clientCA)
	}
	return files
}

// fingerprints takes the prints of the files, following links: certificates are often links that are
// switched to new files.
func (t *TLS) fingerprints() []private.Print {
	var prints []private.Print
	for _, file := range t.files() {
		prints = append(prints, private.PrintOfTarget(file))
	}
	return prints
}

// current returns the configuration for the next connection.
func (t *TLS) current() *tls.Config {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.fingerprints()
	same := true
	for i, print := range now {
		same = same && print.Settled() && print == t.loaded[i]
	}
	if same {
		return t.config
	}
	config, err := t.load()
	if err != nil { // only half of a pair may be written so far: try again for the next connection
		if err.Error() != t.failed {
			t.failed = err.Error()
			t.log.Error("certificates are not usable; the last good ones stay in use", "error", err)
		}
		return t.config
	}
	t.failed, t.loaded, t.config = "", now, config
	return config
}

func (t *TLS) load() (*tls.Config, error) {
	certText, err := readRegular(t.cert)
	if err != nil {
		return nil, err
	}
	keyText, err := readRegular(t.key)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(t.key); err != nil {
		return nil, err
	} else if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s is accessible to group or others (%s); run chmod 600 on it", t.key, info.Mode())
	}
	pair, err := tls.X509KeyPair(certText, keyText)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", t.cert, t.key, err)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, Certificates: []tls.Certificate{pair},
		SessionTicketsDisabled: true} // a resumed session would outlive the authority that was taken away
	if t.clientCA == "" {
		return config, nil
	}
	text, err := readRegular(t.clientCA)
	if err != nil {
		return nil, err
	}
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
	if !config.ClientCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s contains no PEM certificate", t.clientCA)
	}
	return config, nil
}

// readRegular reads a file, following links, without blocking on a pipe.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file (%s)", path, info.Mode())
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxPEM+1))
	if err == nil && len(text) > maxPEM {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxPEM)
	}
	return text, err
}
