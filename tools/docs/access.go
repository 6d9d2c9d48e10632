package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gavel"
	"gavel/server/access"
)

// tablesIn lists the tables that are generated from the tables of routes and scopes. Each is
// identified by its page and by the name in the marks around it.
func tablesIn() map[string]map[string]string {
	return map[string]map[string]string{
		"http.md": {"routes": routeTable(), "methods": methodTable(), "scopes": scopeTable()},
	}
}

// filled returns the pages of a directory that contain such tables, with the tables up to date.
// The rest of these pages is written by hand.
func filled(dir string) (map[string]string, error) {
	pages := map[string]string{}
	for name, tables := range tablesIn() {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("fill in the tables: %w", err)
		}
		page := string(text)
		for table, rows := range tables {
			if page, err = fill(page, table, rows); err != nil {
				return nil, fmt.Errorf("fill in the tables: %s: %w", name, err)
			}
		}
		pages[name] = page
	}
	return pages, nil
}

// fill replaces the text between two marks.
func fill(page, table, rows string) (string, error) {
	begin, end := "<!-- begin: "+table+", written by make generate -->\n", "<!-- end: "+table+" -->\n"
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("the marks around the table %q are missing; put back %q and %q", table, begin, end)
	}
	return before + begin + rows + end + after, nil
}

// routeTable lists the routes of the HTTP API.
func routeTable() string {
	var b strings.Builder
	b.WriteString("| request | scopes | what it is for |\n|---|---|---|\n")
	for _, row := range access.Routes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.Key(), holders(row.Need), row.For)
	}
	return b.String()
}

// methodTable lists the methods of JSON-RPC.
func methodTable() string {
	var b strings.Builder
	b.WriteString("| method | scopes | parameters | result |\n|---|---|---|---|\n")
	for _, row := range access.Methods() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Name, holders(row.Need), row.Params, row.Result)
	}
	return b.String()
}

// holders returns the token scopes that are sufficient for a right.
func holders(need gavel.Right) string {
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

// scopeTable says which scope includes which rights.
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
