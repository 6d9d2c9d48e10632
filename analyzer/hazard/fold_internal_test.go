package hazard

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/programs"
)

func TestNamesWithATargetAVersionOrABuildAreTheSameProgram(t *testing.T) {
	t.Parallel()
	catalog, err := programs.Read(os.DirFS("../../rego"))
	require.NoError(t, err)
	h, err := New(catalog)
	require.NoError(t, err)
	for name, want := range map[string]string{
		"gcc": "gcc", "gcc-12": "gcc", "x86_64-linux-gnu-gcc-12": "gcc", "X86_64-Linux-GNU-GCC": "gcc",
		"arm-none-eabi-gcc": "gcc", "i686-w64-mingw32-g++": "g++", "aarch64-linux-android21-clang": "clang",
		"aarch64-linux-gnu-g++-13": "g++", "avr-gcc": "gcc", "riscv64-unknown-elf-objdump": "objdump",
		"x86_64-linux-gnu-nm": "nm", "x86_64-linux-gnu-ar": "ar", "x86_64-linux-gnu-ld.bfd": "ld", "ld.gold": "ld",
		"x86_64-linux-gnu-strip": "strip", "x86_64-linux-gnu-gcc-ar-12": "ar", "x86_64-linux-gnu-cpp-12": "cpp",
		"llvm-objdump-15": "objdump", "clang++-15": "clang++", "clang-15": "clang", "python3.12": "python",
		"python3.13t": "python", "python3.6m": "python", "python3.12-dbg": "python", "python3-intel64": "python",
		"x86_64-linux-gnu-python3.11": "python", "ruby3.1": "ruby", "perl5.36.0": "perl", "perl5.36-x86_64-linux-gnu": "perl",
		"php8.2": "php", "lua5.4": "lua", "node18": "node", "nodejs-20": "nodejs", "pip3.11": "pip", "gsed": "gsed",
		"gxargs": "xargs", "gsort": "gsort", "NODE.EXE": "node", "npm.cmd": "npm", "git.exe": "git",
		"vim.basic": "vim.basic", "vim.gtk3": "vim", "nc.openbsd": "nc", "bash-static": "bash", "tar-1.34": "tar",
		"git": "git", "go": "go", "grep": "grep", "pre-commit": "pre-commit",
	} {
		found, v := h.Program(name)
		assert.Equal(t, want, found, name)
		assert.NotNil(t, v, name)
	}
	assert.Contains(t, h.Names.Of("gtimeout"), "timeout")
	for _, other := range []string{"frobnicate", "my-gcc", "python3-config", "html2text", "gperf", "armgcc", "", "-", "3", "-gcc"} {
		found, v := h.Program(other)
		assert.Nil(t, v, "%s is %s", other, found)
	}
}
