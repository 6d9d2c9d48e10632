package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gavel"
	"gavel/server/access"
)

// tablesByPage returns the tables that are inserted in hand-written pages, by page and by the
// name in the markers around the table.
func tablesByPage() map[string]map[string]string {
	return map[string]map[string]string{
		"http.md": {"routes": routeTable(), "methods": methodTable(), "scopes": scopeTable()},
	}
}

// pagesWithTables returns the pages of a directory that contain such tables, with current
// tables.
func pagesWithTables(dir string) (map[string]string, error) {
	pages := map[string]string{}
	for name, tables := range tablesByPage() {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("insert tables: %w", err)
		}
		page := string(text)
		for table, rows := range tables {
			if page, err = replaceTable(page, table, rows); err != nil {
				return nil, fmt.Errorf("insert tables in %s: %w", name, err)
			}
		}
		pages[name] = page
	}
	return pages, nil
}

// replaceTable replaces the text between the markers of a table.
func replaceTable(page, table, rows string) (string, error) {
	begin, end := "<!-- begin: "+table+", written by make generate -->\n", "<!-- end: "+table+" -->\n"
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("the markers around the table %q are missing; restore %q and %q", table, begin, end)
	}
	return before + begin + rows + end + after, nil
}

// routeTable describes the routes of the HTTP API.
func routeTable() string {
	var b strings.Builder
	b.WriteString("| request | scopes | what it is for |\n|---|---|---|\n")
	for _, row := range access.Routes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.Key(), sufficientScopes(row.Need), row.For)
	}
	return b.String()
}

// methodTable describes the JSON-RPC methods.
func methodTable() string {
	var b strings.Builder
	b.WriteString("| method | scopes | parameters | result |\n|---|---|---|---|\n")
	for _, row := range access.Methods() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Name, sufficientScopes(row.Need), row.Params, row.Result)
	}
	return b.String()
}

// sufficientScopes lists the token scopes that include a right.
func sufficientScopes(need gavel.Right) string {
	list := gavel.TokenScopes(need)
	switch len(list) {
	case len(gavel.TokenScopes(0)):
		if need == access.Open {
			return "no token needed"
		}
		return "any"
	case 0:
		return "none"
	}
	names := make([]string, len(list))
	for i, scope := range list {
		names[i] = "`" + string(scope) + "`"
	}
	return strings.Join(names, ", ")
}

// scopeTable describes the scopes.
func scopeTable() string {
	var b strings.Builder
	b.WriteString("| scope | who holds it, and what it allows |\n|---|---|\n")
	for _, row := range gavel.Scopes() {
		if row.Token {
			fmt.Fprintf(&b, "| `%s` | %s |\n", row.Scope, row.For)
		}
	}
	for _, row := range gavel.Scopes() {
		if !row.Token {
			fmt.Fprintf(&b, "| no token | %s |\n", row.For)
		}
	}
	return b.String()
}
