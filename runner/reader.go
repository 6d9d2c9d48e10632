package runner

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"

	"gavel/runner/proof"
)

// Some interpreters open their script again by its name, or look up where the name leads, before they
// run it. They are given a short program instead, which reads the copy, and tells the script its name
// and its directory, so that it finds files beside itself.

// pythonReader runs a copy as Python runs a script. Its words are the copy, the name of the script as
// it is written, its path, and the directory in which Python looks for modules first.
const pythonReader = `def read():
    import sys
    copy, name, file, path = sys.argv[1:5]
    sys.argv[:5] = [name]
    if sys.path[:1] == [""]:
        sys.path[0] = path
    main = sys.modules["__main__"].__dict__
    del main["read"]
    main["__file__"], main["__cached__"] = file, None
    main["__loader__"] = sys.modules["_frozen_importlib_external"].SourceFileLoader("__main__", file)
    with open(copy, "rb") as script:
        code = compile(script.read(), file, "exec", dont_inherit=True)
    exec(code, main)
read()
`

// nodeReader runs a copy as Node runs a script, or a module. Its words are the copy, the path of the
// script as it is written, and where that leads.
const nodeReader = `{
  const fs = require("fs"), Module = require("module"), path = require("path"), url = require("url")
  const [copy, , file] = process.argv.splice(1, 3, process.argv[2])
  const source = fs.readFileSync(copy, "utf8"), main = url.pathToFileURL(file).href
  const own = { format: "module", shortCircuit: true }
  const type = at => {
    try {
      return JSON.parse(fs.readFileSync(path.join(at, "package.json"), "utf8")).type
    } catch (e) {
      if (e.code !== "ENOENT") throw e
      const above = path.dirname(at)
      return above === at || path.basename(at) === "node_modules" ? undefined : type(above)
    }
  }
  const script = () => {
    const module = new Module(file, null)
    Object.assign(module, { id: ".", filename: file, paths: Module._nodeModulePaths(path.dirname(file)) })
    process.mainModule = Module._cache[file] = module
    module._compile(source, file)
    module.loaded = true
  }
  const hooks = () => Module.registerHooks({
    resolve: (name, context, next) => name === main ? { url: main, ...own } : next(name, context),
    load: (name, context, next) => name === main ? { source, ...own } : next(name, context),
  })
  const apart = () => Module.register("data:text/javascript," + encodeURIComponent(` + "`" + `
    let main, source, own
    export const initialize = data => { ({ main, source, own } = data) }
    export const resolve = (name, context, next) => name === main ? { url: main, ...own } : next(name, context)
    export const load = (name, context, next) => name === main ? { source, ...own } : next(name, context)` + "`" + `), { data: { main, source, own } })
  process.execArgv.splice(process.execArgv.indexOf("-e"), 2)
  delete process._eval
  for (const name of ["require", "module", "exports", "__filename", "__dirname", ...Module.builtinModules])
    if (!["console", "crypto", "process"].includes(name)) delete globalThis[name]
  const ending = path.extname(file)
  if (ending !== ".mjs" && (ending === ".cjs" || type(path.dirname(file)) !== "module")) script()
  else (Module.registerHooks ? hooks : apart)(), import(main)
}
`

// script is a held script with the word that names it.
type script struct {
	*proof.File
	copy string // the path of its copy
	name string // the word
	path string // the same, absolute
}

// readBy returns the words that make an interpreter read the copy, in the place of the word that names
// the script. options are the words between the interpreter and the script. ok is false if the
// interpreter could only be told another name, by which it does not run the script.
func (s *script) readBy(interpreter string, options []string) (words []string, ok bool) {
	python, node := regexp.MustCompile(`^python3(\.\d+)?$`), regexp.MustCompile(`^node(js)?$`)
	switch name := filepath.Base(interpreter); {
	case python.MatchString(name) && isEach(options, `-([BbEOqSsuv]+|[WX].+)`) && s.isPython():
		return []string{"-c", pythonReader, s.copy, s.name, s.path, filepath.Dir(s.Pin.Path)}, true
	case node.MatchString(name):
		known := slices.Contains([]string{"", ".js", ".cjs", ".mjs"}, filepath.Ext(s.Pin.Path))
		return []string{"-e", nodeReader, "--", s.copy, s.path, s.Pin.Path}, known &&
			isEach(options, `--(enable-source-maps|expose-gc|no-deprecation|no-warnings|trace-(deprecation|uncaught|warnings)|(env-file|import|max-old-space-size|max-semi-space-size|require|stack-size|stack-trace-limit|unhandled-rejections)=.+)`)
	}
	return []string{s.copy}, true
}

// isEach reports whether all of the words are options of a form.
func isEach(words []string, form string) bool {
	option := regexp.MustCompile(`^(` + form + `)$`)
	return !slices.ContainsFunc(words, func(word string) bool { return !option.MatchString(word) })
}

// isPython reports whether Python would read the script as a text: it also runs archives of modules,
// which may begin as a text, and what it has compiled.
func (s *script) isPython() bool {
	const tail = 1<<16 + 22 // where an archive ends
	sealed, err := s.Sealed()
	if err != nil {
		return false
	}
	info, err := sealed.Stat()
	if err != nil {
		return false
	}
	begin, end := make([]byte, 16), make([]byte, min(tail, info.Size()))
	n, err := sealed.ReadAt(begin, 0)
	if _, wrong := sealed.ReadAt(end, info.Size()-int64(len(end))); err != nil && err != io.EOF || wrong != nil { //nolint:errorlint // documented
		return false
	}
	return filepath.Ext(s.Pin.Path) != ".pyc" && bytes.IndexByte(begin[:n], 0) < 0 && !bytes.Contains(end, []byte("PK\x05\x06"))
}

// scriptOf returns a script that a word names. copy is the path of its sealed copy.
func (p *Plan) scriptOf(file *proof.File, word, copy string) *script {
	path := word
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir.Path, path)
	}
	return &script{file, copy, word, filepath.Clean(path)}
}

// unread returns the refusal of a script that its interpreter only opens by its name.
func unread(file *proof.File, interpreter string) error {
	return &Refusal{Code: CodeUnheld, Message: fmt.Sprintf("others than root can replace %s between the comparison and its use, because %s opens it by its path", file.Pin.Path, interpreter),
		Fix: "install it where only root can write; or accept the risk with --check-only"}
}
