package source

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"filippo.io/age"
	"filippo.io/age/armor"

	"gavel/internal/printed"
	"gavel/internal/strictjson"
)

// maxOutput is how many bytes the program of a secret store may print.
const maxOutput = 64 << 10

// program runs the program of a secret store.
func (r *Reader) program(ctx context.Context, s Source) (Value, error) {
	env := r.environment()
	var name, configured string
	var args []string
	limit := programTime
	switch s.Kind {
	case Pass:
		name, configured, args, limit = "pass", r.settings.PassBinary, []string{"--", s.Name}, passTime
	case Gopass:
		name, configured, args, limit = "gopass", r.settings.GopassBinary, []string{"show", "--password", "--", s.Name}, passTime
	case OP:
		name, configured, args = "op", r.settings.OPBinary, []string{"read", "--no-newline", "--", s.Name}
		token, err := r.opToken()
		if err != nil {
			return Value{}, err
		}
		env = append(env, "OP_SERVICE_ACCOUNT_TOKEN="+token)
	case Vault:
		field := s.Part
		if field == "" {
			field = "value"
		}
		name, configured, args = "vault", r.settings.VaultBinary, []string{"kv", "get", "-field=" + field, s.Name}
		vault, err := r.vaultEnv()
		if err != nil {
			return Value{}, err
		}
		env = append(env, vault...)
	case Keychain:
		if runtime.GOOS != "darwin" {
			return Value{}, errors.New("the keychain exists on macOS only")
		}
		name, configured, args = "security", "/usr/bin/security", []string{"find-generic-password", "-w", "-s", s.Name}
		if s.Part != "" {
			args = append(args, "-a", s.Part)
		}
	}
	binary, err := trustedBinary(configured, name)
	if err != nil {
		return Value{}, err
	}
	if err := Executable(binary); err != nil {
		return Value{}, err
	}
	text, err := printed.Program{Path: binary, Args: args, Env: env, Limit: limit, Most: maxOutput}.Text(ctx)
	return Value{Text: strings.TrimSpace(text)}, err
}

// environment is what programs of secret stores are given of the daemon's.
func (r *Reader) environment() (env []string) {
	env = append(env, "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8")
	for _, name := range []string{"HOME", "USER", "LOGNAME", "GNUPGHOME", "GPG_TTY", "PASSWORD_STORE_DIR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "CREDENTIALS_DIRECTORY",
		"VAULT_ADDR", "VAULT_NAMESPACE", "VAULT_TOKEN", "VAULT_CACERT", "DBUS_SESSION_BUS_ADDRESS"} {
		if value := r.getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// opToken is the token of a service account. A file that is there and cannot be used is an error.
func (r *Reader) opToken() (string, error) {
	files := []string{r.settings.OPTokenFile}
	if dir := r.getenv("CREDENTIALS_DIRECTORY"); dir != "" {
		files = []string{filepath.Join(dir, "op-service-account-token"), r.settings.OPTokenFile}
	}
	for _, path := range files {
		if path == "" || !exists(path) {
			continue
		}
		text, err := readFile(path, true)
		return strings.TrimSpace(text), err
	}
	if token := r.getenv("OP_SERVICE_ACCOUNT_TOKEN"); token != "" {
		return token, nil
	}
	return "", fmt.Errorf("there is no token of a service account: write it to %s", r.settings.OPTokenFile)
}

func (r *Reader) vaultEnv() (env []string, err error) {
	for name, value := range map[string]string{"VAULT_ADDR": r.settings.VaultAddr, "VAULT_NAMESPACE": r.settings.VaultNS, "VAULT_CACERT": r.settings.VaultCACert} {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	if r.settings.VaultInsane {
		env = append(env, "VAULT_SKIP_VERIFY=true")
	}
	if r.settings.VaultToken != "" {
		token, err := readFile(r.settings.VaultToken, true)
		if err != nil {
			return nil, err
		}
		env = append(env, "VAULT_TOKEN="+strings.TrimSpace(token))
	}
	return env, nil
}

// minted is what a helper prints.
type minted struct {
	Value     string     `json:"value"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// helper runs a program that makes a credential.
func (r *Reader) helper(ctx context.Context, path string) (Value, error) {
	if info, err := os.Lstat(path); err != nil {
		return Value{}, err
	} else if !info.Mode().IsRegular() {
		return Value{}, fmt.Errorf("%s is not a regular file", path)
	}
	if err := Executable(path); err != nil {
		return Value{}, err
	}
	text, err := printed.Program{Path: path, Env: r.environment(), Limit: programTime, Most: maxOutput}.Text(ctx)
	if err != nil {
		return Value{}, err
	}
	var m minted
	if err := strictjson.Unmarshal([]byte(text), &m); err != nil {
		return Value{}, errors.New(`the helper did not print {"value": "…", "expires_at": "…"}`) // the cause may quote it
	}
	value := Value{Text: m.Value}
	if m.ExpiresAt != nil {
		if value.Expires = *m.ExpiresAt; !value.Expires.After(time.Now()) {
			return Value{}, errors.New("the helper printed a value that has expired")
		}
	}
	return value, nil
}

// query takes a part out of a text of JSON.
func query(ctx context.Context, s Source, text string) (string, error) {
	var document any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return "", errors.New("it is not JSON, and a query follows |")
	}
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	found, ok := s.Query.RunWithContext(ctx, document).Next()
	if !ok || found == nil {
		return "", errors.New("the query after | finds nothing")
	}
	switch value := found.(type) {
	case error:
		return "", errors.New("the query after | fails on this value") // the cause may quote it
	case string:
		return value, nil
	default:
		out, err := json.Marshal(value)
		return string(out), err
	}
}

// decrypt reads an encrypted file, armored or not.
func decrypt(file io.Reader, identities []age.Identity) (string, error) {
	buffered := bufio.NewReader(io.LimitReader(file, 4*maxFile))
	var in io.Reader = buffered
	if start, _ := buffered.Peek(len(armor.Header)); string(start) == armor.Header {
		in = armor.NewReader(buffered)
	}
	plain, err := age.Decrypt(in, identities...)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(plain, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	return string(text), err
}
