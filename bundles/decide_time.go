package bundles

import (
	"gavel/bundles/config"
	"strings"
	"time"

	"gavel"
)

// localTime returns the time of a call in the policy's time zone. No shipped rule reads it, so
// without Rego of the policy there is none.
func (s *Snapshot) localTime(given gavel.TimeFacts) gavel.TimeFacts {
	at, err := time.Parse(time.RFC3339, given.At)
	if !s.ownRego || err != nil {
		return gavel.TimeFacts{}
	}
	local := at.In(s.timeZone)
	return gavel.TimeFacts{At: local.Format(time.RFC3339), Date: local.Format(time.DateOnly),
		Weekday: strings.ToLower(local.Weekday().String()), Clock: local.Format("15:04"), Zone: s.timeZone.String()}
}

// Zone returns the policy's time zone, tools.timeZone.
func (s *Snapshot) Zone() *time.Location { return s.timeZone }

// readTimeZone reads tools.timeZone. Without it the time zone is UTC.
func (s *Snapshot) readTimeZone() error {
	const path = "tools.timeZone"
	name, _ := config.LookUp(s.document.Data, "tools", "timeZone").(string)
	zone, err := time.LoadLocation(name)
	if err == nil && name != "Local" { // which would depend on the machine
		s.timeZone = zone
		return nil
	}
	return policyError([]gavel.Problem{s.problemAt(finding{Path: path, Fix: "write a name of the IANA time zone database, such as Europe/Berlin, or UTC"},
		"unknown time zone \""+name+"\"")})
}
