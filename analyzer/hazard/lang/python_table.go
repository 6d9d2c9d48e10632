package lang

import (
	"slices"
	"strings"
)

// pythonModules lists the modules that only define their contents when they are loaded.
func pythonModules() []string {
	return []string{"sys", "json", "re", "math", "collections", "datetime", "time", "os", "platform", "base64", "hashlib", "tomllib", "csv", "itertools", "string", "textwrap"}
}

// pythonFunctions lists functions that only compute, read their arguments, or print. A file among the
// arguments has been opened with [pythonParser.parseOpenCall].
func pythonFunctions() []string {
	return []string{
		"json.load", "json.loads", "json.dumps", "tomllib.load", "tomllib.loads", "yaml.safe_load", "yaml.safe_load_all", "yaml.safe_dump", "csv.reader", "csv.DictReader",
		"re.findall", "re.search", "re.match", "re.fullmatch", "re.sub", "re.split", "re.escape", "re.compile", "collections.Counter", "collections.OrderedDict", "collections.defaultdict",
		"math.sqrt", "math.floor", "math.ceil", "math.log", "math.log2", "math.log10", "time.time", "os.getcwd", "os.path.basename", "os.path.dirname", "os.path.join", "os.path.splitext",
		"datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.datetime.fromtimestamp", "datetime.datetime.fromisoformat", "datetime.date.today",
		"datetime.timedelta", "platform.python_version", "platform.python_implementation", "platform.machine", "platform.system", "base64.b64encode", "base64.b64decode",
		"hashlib.sha256", "hashlib.sha1", "hashlib.md5", "textwrap.dedent", "textwrap.shorten", "itertools.islice", "itertools.chain", "sys.exit", "sys.stdout.write", "sys.getsizeof",
	}
}

// pythonValues lists attributes of modules that are strings, numbers, lists of these, or standard input.
func pythonValues() []string {
	return []string{
		"sys.version", "sys.version_info", "sys.version_info.major", "sys.version_info.minor", "sys.version_info.micro", "sys.implementation.name", "sys.path", "sys.builtin_module_names",
		"sys.executable", "sys.prefix", "sys.base_prefix", "sys.exec_prefix", "sys.base_exec_prefix", "sys.platform", "sys.byteorder", "sys.maxsize", "sys.maxunicode", "sys.hexversion",
		"sys.api_version", "sys.copyright", "sys.abiflags", "sys.float_repr_style", "sys.platlibdir", "sys.stdin", "re.I", "re.M", "re.S", "re.IGNORECASE", "re.MULTILINE", "re.DOTALL",
		"math.pi", "math.e", "os.sep", "os.name", "os.linesep", "string.ascii_letters", "string.digits", "string.punctuation", "json.JSONDecodeError",
	}
}

// pythonKnown reports whether the tables have the attribute path, or one that begins with it.
func pythonKnown(path string) bool {
	return slices.ContainsFunc(slices.Concat(pythonFunctions(), pythonValues()), func(known string) bool {
		return known == path || strings.HasPrefix(known, path+".")
	})
}

// pythonBuiltins lists builtins that only compute and print. Those that call their arguments, such as
// map, can be given only the types below and lambdas of the program.
func pythonBuiltins() []string {
	return []string{"print", "len", "sorted", "sum", "min", "max", "list", "set", "dict", "tuple", "str", "int", "float", "bool", "bytes", "repr", "enumerate", "zip", "range", "any", "all",
		"abs", "round", "reversed", "isinstance", "map", "filter", "next", "iter", "chr", "ord", "hex", "bin", "oct", "divmod", "exit", "quit", "frozenset"}
}

// pythonTypes lists the types and functions that may be used as values.
func pythonTypes() []string {
	return []string{"str", "int", "float", "list", "dict", "set", "tuple", "bool", "bytes", "len"}
}

// pythonMethods lists methods of strings, numbers, lists, dicts, sets, matches and files that change
// nothing.
func pythonMethods() []string {
	return []string{
		"split", "rsplit", "splitlines", "strip", "lstrip", "rstrip", "join", "replace", "lower", "upper", "title", "capitalize", "casefold", "swapcase", "startswith", "endswith",
		"find", "rfind", "index", "rindex", "count", "isdigit", "isalpha", "isalnum", "isnumeric", "isspace", "isupper", "islower", "zfill", "ljust", "rjust", "center", "encode", "decode",
		"partition", "rpartition", "removeprefix", "removesuffix", "expandtabs", "keys", "values", "items", "get", "copy", "most_common", "union", "intersection", "difference",
		"issubset", "issuperset", "isdisjoint", "group", "groups", "start", "end", "span", "hexdigest", "digest", "read", "readline", "readlines", "close", "isoformat", "strftime", "timestamp",
		"date", "total_seconds", "findall", "search", "match", "fullmatch", "sub", "is_integer", "bit_length", "hex",
	}
}

// pythonMutators lists methods that change a list, a dict or a set.
func pythonMutators() []string {
	return []string{"append", "extend", "insert", "remove", "pop", "sort", "reverse", "update", "setdefault", "clear", "add", "discard"}
}

// pythonKeywords returns the permitted keyword arguments of a function; "." stands for all methods.
func pythonKeywords(name string) []string {
	switch name {
	case "print":
		return []string{"sep", "end", "flush"}
	case "json.dumps":
		return []string{"indent", "sort_keys", "ensure_ascii", "separators", "default"}
	case "sorted", "min", "max", ".":
		return []string{"key", "reverse", "default", "maxsplit", "keepends"}
	case "enumerate":
		return []string{"start"}
	case "csv.reader", "csv.DictReader":
		return []string{"delimiter"}
	case "re.sub", "re.findall", "re.search", "re.match", "re.split", "re.compile":
		return []string{"flags", "count", "maxsplit"}
	default:
		return nil
	}
}

// pythonWords lists the keywords and builtins of all versions of Python. No variable may have such a
// name, because without a value it would be the builtin.
func pythonWords() []string {
	return strings.Fields(`False None True and as assert async await break case class continue def del elif else except exec finally for from global if import in is lambda match
		nonlocal not or pass print raise return try type while with yield
		abs aiter all anext any apply ascii basestring bin bool breakpoint buffer bytearray bytes callable chr classmethod cmp coerce compile complex copyright credits delattr dict dir divmod
		enumerate eval execfile exit file filter float format frozenset getattr globals hasattr hash help hex id input int intern isinstance issubclass iter len license list locals long map
		max memoryview min next object oct open ord pow property quit range raw_input reduce reload repr reversed round set setattr slice sorted staticmethod str sum super tuple unichr
		unicode vars xrange zip Ellipsis NotImplemented`)
}
