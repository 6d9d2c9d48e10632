package shell

import (
	"fmt"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// The names of refused constructs, for people, and the kinds by which policy decides (R19). A
// node that is not listed here is refused under the name of its type.

// commandName names a command that is not a simple one.
func commandName(node syntax.Command) (kind, construct string) {
	switch node := node.(type) {
	case *syntax.Subshell:
		return kindCompound, "subshell ( )"
	case *syntax.Block:
		return kindCompound, "group { }"
	case *syntax.IfClause:
		return kindCompound, "if statement"
	case *syntax.WhileClause:
		if node.Until {
			return kindCompound, "until loop"
		}
		return kindCompound, "while loop"
	case *syntax.ForClause:
		if node.Select {
			return kindCompound, "select loop"
		}
		return kindCompound, "for loop"
	case *syntax.CaseClause:
		return kindCompound, "case statement"
	case *syntax.FuncDecl:
		return kindCompound, "function declaration"
	case *syntax.ArithmCmd:
		return kindCompound, "arithmetic command (( ))"
	case *syntax.TestClause:
		return kindCompound, "test [[ ]]"
	case *syntax.TimeClause:
		return kindCompound, "time"
	case *syntax.DeclClause:
		return kindAssignment, "declaration " + node.Variant.Value
	case *syntax.LetClause:
		return kindAssignment, "declaration let"
	case *syntax.CoprocClause:
		return KindConstruct, "coprocess coproc"
	default:
		return KindConstruct, fmt.Sprintf("%T", node)
	}
}

// redirectName names a redirection.
func redirectName(op syntax.RedirOperator) (kind, construct string) {
	switch op {
	case syntax.Hdoc, syntax.DashHdoc:
		return kindHeredoc, "here-document " + op.String()
	case syntax.WordHdoc:
		return kindHeredoc, "here-string " + op.String()
	case syntax.RdrIn:
		return kindRedirect, "input redirection " + op.String()
	case syntax.RdrInOut:
		return kindRedirect, "input and output redirection " + op.String()
	case syntax.DplIn, syntax.DplOut:
		return kindRedirect, "duplicating redirection " + op.String()
	default:
		return kindRedirect, "output redirection " + op.String()
	}
}

// partName names a word part that is not plain text by its own text.
func partName(text string, node syntax.WordPart) (kind, construct string) {
	switch node := node.(type) {
	case *syntax.CmdSubst:
		if node.Backquotes {
			return kindSubstitution, "command substitution ` `"
		}
		return kindSubstitution, "command substitution " + Excerpt(text)
	case *syntax.ProcSubst:
		return kindSubstitution, "process substitution " + node.Op.String() + " )"
	case *syntax.ParamExp:
		return kindExpansion, "parameter expansion " + Excerpt(text)
	case *syntax.ArithmExp:
		return kindExpansion, "arithmetic expansion $(( ))"
	case *syntax.ExtGlob:
		return kindExpansion, "pathname expansion " + node.Op.String() + " )"
	case *syntax.BraceExp:
		return kindExpansion, "brace expansion { }"
	case *syntax.SglQuoted, *syntax.DblQuoted, *syntax.Lit:
		return kindGuard, "quoting inside quotes"
	default:
		return KindConstruct, fmt.Sprintf("%T", node)
	}
}

// reserved returns the kind of an unquoted first word that some shell reads as more than a name,
// and "" for any other. The current grammar may not know the word: the program called sh may be
// bash, dash, ksh or busybox. These words are parts of grammars, as the node types are: they are
// here because the parser reads them, whatever the catalog says of the commands.
func reserved(word string) string {
	switch word {
	case "if", "then", "else", "elif", "fi", "for", "select", "while", "until", "do", "done", "case", "esac",
		"function", "time", "!", "{", "}", "[[", "]]":
		return kindCompound
	case "declare", "typeset", "local", "export", "readonly", "nameref", "integer", "float", "let":
		return kindAssignment
	case "coproc":
		return KindConstruct
	default:
		return ""
	}
}

// Excerpt returns the text of a construct, cut to fit into a message.
func Excerpt(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
