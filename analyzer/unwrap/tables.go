package unwrap

import (
	"errors"

	"gavel/analyzer/hazard"
	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
)

// Tables have everything that is known about programs by name. They are immutable.
type Tables struct {
	Wrappers    *Wrappers       // programs that run others
	Builtins    *Builtins       // the words of shell builtins
	Effects     *shell.Effects  // what builtins do to the shell
	Hazards     *hazard.Table   // argument hazards
	SafeBins    hazard.SafeBins // filters, and how they read their arguments
	Code        *Code           // words that name code; nil if code is not looked for
	PathEffects PathEffects     // what programs do to paths
	Values      Values          // variables whose values are facts
}

// NewTables reads the tables from a catalog. system are the directories whose programs only root
// can change. harmless are the kinds of hazard with which a program that preserves paths still does.
func NewTables(catalog *programs.Catalog, system, harmless []string) (g Tables, err error) {
	wrong := make([]error, 5)
	g.Wrappers, wrong[0] = newWrappers(catalog)
	g.Builtins, wrong[1] = newBuiltins(catalog)
	g.Hazards, wrong[2] = hazard.New(catalog)
	g.Code, wrong[3] = newCode(catalog, system)
	g.SafeBins, wrong[4] = hazard.NewSafeBins(catalog)
	g.PathEffects, g.Effects = newPathEffects(catalog, harmless), shell.NewEffects(catalog)
	return g, errors.Join(wrong...)
}

// Knows reports whether a table lists a program.
func (g *Tables) Knows(program string) bool {
	_, hazards := g.Hazards.Program(program)
	_, wrapper := g.Wrappers.programs[program]
	_, embeds := g.Wrappers.embeds[program]
	_, runner := g.Wrappers.runners[program]
	_, filter := g.SafeBins[program]
	return hazards != nil || wrapper || embeds || runner || filter || g.PathEffects.programs[program]
}
